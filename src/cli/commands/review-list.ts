import type { NavigatorClient } from "../../client/client";
import type { InboxPage } from "../../client/inbox-page";
import { defined } from "../../core/base/defined";
import { taskWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { type Decider, reviewItem } from "../../core/review/inbox/inbox-item";
import type { InboxKind } from "../../core/review/inbox/inbox-kind";
import { shortReview } from "../../core/review/inbox/short-review";
import { authorityOf } from "../../core/review/people/authority";
import { hasPeople } from "../../core/review/people/people-file";
import { unknownWord } from "../../core/review/people/unknown-word";
import { loggedIn } from "../../node/identity/key-store";
import { loadPeople } from "../../node/identity/people-on-disk";
import { findMission } from "../input/find-mission";
import { duration, wholeNumber } from "../input/number-argument";
import { CONFIG_OPTION, projectPlace } from "../session/project-people";
import { withSession } from "../session/session";
import { inboxText } from "../show/render-inbox";
import type { CommandSpec } from "../terminal/command";
import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

interface ListOptions {
  task?: string;
  mine?: boolean;
  assignee?: string;
  group?: string;
  kind?: InboxKind;
  olderThan?: string;
  dueWithin?: string;
  mission?: string;
  text?: string;
  limit?: string;
  page?: string;
}

/** `navigator review list`: everything that waits for a person (approvals reference, section 7). */
export const reviewListCommands: readonly CommandSpec[] = [
  {
    name: "list",
    about: "list what waits for a person, the oldest first; needs no worker",
    options: [
      ["--mine", "only what you may decide now: in person, in your groups, in another's place, or as anyone"],
      ["--assignee <name>", "only what is for this person and their groups; also group:NAME, lead:NAME, anyone"],
      ["--group <name>", "only what is for this group, or for its lead"],
      ["--kind <kind>", "only approval, gate, question, escalation, budget, parked, blocked, ..."],
      ["--older-than <time>", "only what has been waiting this long, e.g. 2h"],
      ["--due-within <time>", "only what expires, is reminded of, or goes to others within this time"],
      ["--mission <id>", "only this mission and the runs below it, e.g. plan/release-3 or release-3"],
      ["--text <text>", "only what has this text"],
      ["--task <id>", "only the reviews of this task, as they are at this moment"],
      ["--limit <number>", "items of a page (default 50)"],
      ["--page <token>", "the next page, as the page before says"],
      CONFIG_OPTION,
    ],
    examples: ["navigator review list --group finance --older-than 2h"],
    run: async (io: CommandIo, options: ListOptions) => {
      const asked = inboxOptions(options);
      return withSession(io, "ask", async ({ client }) => {
        const whose = options.task === undefined ? await whoseOf(io, options) : {};
        if ("nobody" in whose) {
          io.result({ open: [], unanswered: [] }, () => `Nothing waits for "${whose.nobody}".`);
          return EXIT.done;
        }
        const page =
          options.task === undefined
            ? await client.inbox({ ...asked, ...whose, ...(await missionOf(client, options)) })
            : await pageOf(await client.openReviews({ workflow: taskWorkflowId(options.task) }));
        const { items, ...rest } = page;
        io.result({ open: items, ...rest }, () => inboxText(page));
      });
    },
  },
];

/** A mission is named as for the other commands: a bare id is that of a run, a task or a plan. @throws NavigatorError `not_found` */
async function missionOf(client: NavigatorClient, { mission }: ListOptions): Promise<{ mission?: string }> {
  if (mission === undefined || mission.includes("/")) return {};
  const there = async (workflowId: string) => {
    if (await client.has(workflowId)) return workflowId;
    throw new NavigatorError("not_found", `There is no "${workflowId}".`, {
      details: { path: workflowId, kind: "run" },
    });
  };
  return { mission: await findMission(mission, there) };
}

/**
 * Whose reviews are listed, by the people of the project. A page must be asked for with the same ones. `nobody`: whoever is
 * logged in has left, or is not one of the project's people, and may decide nothing.
 */
async function whoseOf(
  io: CommandIo,
  { mine, assignee, group }: ListOptions,
): Promise<{ assignee?: string[]; decider?: Decider } | { nobody: string }> {
  if (!mine && assignee === undefined && group === undefined) return {};
  const place = await projectPlace(io);
  const me = mine ? loggedIn(place.project)?.person : undefined;
  if (mine && me === undefined)
    throw new NavigatorError("not_logged_in", "Nobody is logged in, so nothing is yours.", {
      hint: "Log in: navigator login --as NAME\nOr name somebody: --assignee NAME",
    });
  const people = loadPeople(place.file);
  // Reviews may name somebody who is not there any more, so they are looked for all the same.
  for (const word of [assignee, group === undefined ? undefined : `group:${group}`]) {
    const problem =
      word === undefined || word === "anyone" || !hasPeople(people) ? null : unknownWord(people, word, Date.now());
    if (problem !== null) io.err(problem.message);
  }
  if (me !== undefined && !hasPeople(people))
    io.err(`${place.file} names no people: what is for the groups of "${me}" is not known, and not listed.`);
  else if (me !== undefined) {
    const stranger = unknownWord(people, me, Date.now());
    if (stranger !== null) {
      io.err(stranger.message);
      return { nobody: me };
    }
  }
  const authority = (name: string) => authorityOf(people, name, Date.now());
  const wordsOf = ({ own, delegated }: Decider["authority"]) => [...own, ...delegated.map(({ word }) => word)];
  return {
    ...(assignee === undefined ? {} : { assignee: wordsOf(authority(assignee)) }),
    ...(me === undefined ? {} : { decider: { by: me, authority: authority(me) } }),
  };
}

function inboxOptions({ group, kind, mission, text, page, limit, olderThan, dueWithin }: ListOptions) {
  return {
    ...defined({
      ...{ group, kind, mission, text, page },
      size: wholeNumber("--limit", limit, 1),
      older_than_ms: olderThan === undefined ? undefined : duration("--older-than", olderThan),
      due_within_ms: dueWithin === undefined ? undefined : duration("--due-within", dueWithin),
    }),
  };
}

type OpenReviews = Awaited<ReturnType<NavigatorClient["openReviews"]>>;

/** The reviews of one task are read from its workflow, not from a list. */
async function pageOf({ open, unanswered }: OpenReviews): Promise<InboxPage> {
  const items = open.map(({ workflow_id, review, cut }) => ({
    ...reviewItem(workflow_id, shortReview(review)),
    review,
    ...defined({ cut }),
  }));
  return { items, total: items.length, unanswered };
}
