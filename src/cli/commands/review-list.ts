import type { NavigatorClient } from "../../client/client";
import type { InboxPage } from "../../client/inbox-page";
import { defined } from "../../core/base/defined";
import { taskWorkflowId } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { escapeLineBreaks, joinLines } from "../../core/base/one-line";
import { type Decider, type InboxItem, reviewItem } from "../../core/review/inbox/inbox-item";
import type { InboxKind } from "../../core/review/inbox/inbox-kind";
import { mayHaveMoreUndelivered, shortReview } from "../../core/review/inbox/short-review";
import { authorityOf } from "../../core/review/people/authority";
import { hasPeople } from "../../core/review/people/people-file";
import { unknownWord } from "../../core/review/people/unknown-word";
import type { Review } from "../../core/review/review";
import { loggedIn } from "../../node/identity/key-store";
import { loadPeople } from "../../node/identity/people-on-disk";
import { shellWord } from "../../node/shell-word";
import { duration, wholeNumber } from "../input/arguments";
import { findMission } from "../input/find-mission";
import { projectPlace } from "../session/project-people";
import { withSession } from "../session/session";
import { CONFIG_OPTION, type CommandSpec } from "../terminal/command";

import { EXIT } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { renderTable, renderTime } from "../terminal/render";

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
    about: "list the reviews that wait for a person, the oldest first; needs no worker",
    options: [
      ["--mine", "only reviews that you may decide now: in person, in your groups, in another's place, or as anyone"],
      ["--assignee <name>", "only reviews for this person and their groups; also group:NAME, lead:NAME, anyone"],
      ["--group <name>", "only reviews for this group, or for its lead"],
      ["--kind <kind>", "only approval, gate, question, escalation, budget, parked, blocked, ..."],
      ["--older-than <time>", "only reviews that have waited this long, e.g. 2h"],
      ["--due-within <time>", "only what expires, is reminded of, or goes to others within this time"],
      ["--mission <id>", "only this mission and the runs below it, e.g. plan/release-3 or release-3"],
      ["--text <text>", "only what has this text"],
      ["--task <id>", "only the reviews of this task, as they are at this moment"],
      ["--limit <number>", "items of a page (default 50)"],
      ["--page <token>", "the page token from the previous page"],
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
 * Selects, by the people of the project, whose reviews are listed. A later page needs the same ones. `nobody`: the person who is logged
 * in has left, or is not one of the project's people, and may decide nothing.
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

/** Lists the open reviews, and the workflows that did not answer. */
export function inboxText({ items, next, total, unanswered }: InboxPage): string {
  const lines =
    items.length > 0 ? [table(items)] : unanswered.length === 0 && !next ? ["Nothing waits for a person."] : [];
  lines.push(...items.flatMap(helpOf));
  if (next !== undefined) {
    const all = total === undefined ? "" : `; ${total} workflows wait`;
    lines.push(`There is more${all}. Next page: add --page ${next}`);
  }
  if (unanswered.length > 0) lines.push(`Also waiting, but did not answer (${unanswered.length}):`);
  for (const { workflow_id, message } of unanswered) lines.push(`  ${workflow_id}: ${joinLines(message)}`);
  return lines.join("\n");
}

function table(items: readonly InboxItem[]): string {
  const rows = items.map((item) => [
    item.review?.id ?? item.workflow_id,
    `${item.kind}${item.irreversible ? " !" : ""}`,
    escapeLineBreaks(item.title),
    item.assignees.join(", "),
    item.review?.choices.join(" | ") ?? "",
    item.since === 0 ? "" : renderTime(item.since),
  ]);
  return renderTable(rows, ["REVIEW", "KIND", "TITLE", "FOR", "CHOICES", "SINCE (UTC)"]);
}

/** Messages that reached nobody; and what has no review is not decided: a decision is recorded in the journal, or something is started. */
function helpOf({ workflow_id, review, parked, blocked }: InboxItem): string[] {
  if (review !== undefined) return undeliveredText(review);
  if (blocked) return [`${workflow_id}: ${joinLines(blocked.help)}`];
  return parked ? [`${workflow_id}: ${parkedHelp(workflow_id)}`] : [];
}

function undeliveredText(review: Review): string[] {
  const { id, unheard = [] } = review;
  const lines = unheard.map(
    ({ channel, to, error, given_up }) =>
      `${id}: ${channel} did not reach ${to}: ${joinLines(error)}${given_up ? "" : " (it is tried again)"}`,
  );
  return mayHaveMoreUndelivered(review)
    ? [...lines, `${id}: see all that reached nobody: navigator review show ${shellWord(id)}`]
    : lines;
}

/** Names the command that continues a parked mission. */
const parkedHelp = (workflowId: string): string =>
  `record a decision: navigator journal set ${shellWord(workflowId)} ID VALUE`;
