import type { NavigatorClient } from "../../../client/client";
import { type ListedMission, listMissions, type MissionListOptions } from "../../../client/missions";
import { retryMission } from "../../../client/retry-mission";
import type { EndedBy } from "../../../client/run-control";
import { TaskService } from "../../../client/tasks/task-service";
import { shellWord } from "../../../node/shell-word";
import { oneOf, wholeNumber } from "../../input/arguments";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import { requester } from "../../session/signing";
import type { TopCommands } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import { badUsage, type ErrorReport, EXIT, errorReport } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { renderTable } from "../../terminal/render";
import { handleOf } from "./end";
import { FILTER_OPTIONS, type ListFilter, listOptions } from "./list";

const ACTIONS = ["cancel", "pause", "resume", "retry", "terminate"] as const;
type Action = (typeof ACTIONS)[number];

interface BatchOptions extends ListFilter {
  limit: string;
  note?: string;
  by?: string;
  dryRun?: boolean;
  yes?: boolean;
}

const LIMIT = 100;
const MOST = 1_000;
/** Missions that the preview names. */
const SHOWN = 10;
/** Missions that are acted on at the same time. */
const AT_ONCE = 8;

/** `navigator batch`: one action on the missions of a list. */
export const batchCommands: TopCommands = {
  batch: {
    args: [["<action>", ACTIONS.join(", ")]],
    options: [
      ...FILTER_OPTIONS,
      ["--limit <number>", `at most so many missions, 1 to ${MOST}`, String(LIMIT)],
      ["--note <text>", "why; it stands in each history, and terminate needs it"],
      BY_OPTION,
      ["--dry-run", "only list the missions"],
      ["--yes", "do not ask"],
    ],
    notes: `The filters are those of navigator list; at least one is needed. cancel, pause and terminate take open missions, resume paused ones, retry
failed ones unless --status names another state. A mission that refuses is named with the reason, and the others continue: exit code 1.
retry never accepts calls that nobody knows; such a mission is refused, for navigator retry ID.`,
    examples: [
      "navigator batch pause --agent refund --note 'the bank is closed' --dry-run",
      "navigator batch retry --since 2h --agent refund --yes",
    ],
    run: batch,
  },
};

interface BatchAnswer {
  action: Action;
  done: string[];
  refused: { workflow_id: string; error: ErrorReport }[];
  /** There are further missions that fit. */
  more: boolean;
}

function batch(io: CommandIo, word: string, options: BatchOptions): Promise<void> {
  const limit = wholeNumber("--limit", options.limit, 1) as number;
  if (limit > MOST) throw badUsage("--limit", `--limit must be at most ${MOST}, got ${limit}.`);
  const action = oneOf("<action>", word, ACTIONS);
  const { note } = options;
  if (action === "terminate" && !note)
    throw badUsage("--note", "navigator batch terminate needs --note: why they end.");
  const asked = chosen(action, options);
  return withSession(io, "read", async ({ client }) => {
    const { missions, more } = await upTo(client, asked, limit);
    if (options.dryRun || missions.length === 0) {
      io.result({ action, missions: missions.map(({ workflow_id }) => workflow_id), more }, () =>
        previewText(action, missions, more),
      );
      return EXIT.done;
    }
    if (!options.yes) await confirmed(io, action, missions, more);
    const given = { by: await actorOfShell(io, options.by), note };
    const act = actOn(client, action, given, await requester(io));
    const answer: BatchAnswer = { action, more, ...(await actOnEach(missions, act)) };
    io.result({ ...answer, by: given.by }, () => answerText(answer));
    return answer.refused.length === 0 ? EXIT.done : EXIT.failed;
  });
}

/** The filter with the states that the action takes. @throws NavigatorError `bad_usage` without a filter */
function chosen(action: Action, options: BatchOptions): MissionListOptions {
  const { status, kind, agent, graph, since, until, text, query } = options;
  if ([status, kind, agent, graph, since, until, text, query].every((one) => one === undefined))
    throw badUsage(
      "--status",
      "navigator batch needs a filter: which missions?",
      `As in navigator list: --status, --kind, --agent, --graph, --since, --until, --text or --query. All: --since 1970-01-01`,
    );
  const asked = listOptions({ ...options, errors: false });
  if (asked.state !== undefined) return asked;
  if (action === "resume") return { ...asked, state: "paused" };
  if (action === "retry") return { ...asked, state: "failed" };
  const open = 'ExecutionStatus = "Running"';
  return { ...asked, query: asked.query === undefined ? open : `(${asked.query}) AND ${open}` };
}

async function upTo(client: NavigatorClient, asked: MissionListOptions, limit: number) {
  const missions: ListedMission[] = [];
  let page = await listMissions(client, { ...asked, size: Math.min(200, limit + 1) });
  missions.push(...page.missions);
  while (page.next !== undefined && missions.length <= limit) {
    page = await listMissions(client, { ...asked, size: 200, page: page.next });
    missions.push(...page.missions);
  }
  return { missions: missions.slice(0, limit), more: missions.length > limit };
}

const counted = (missions: readonly unknown[]): string =>
  missions.length === 1 ? "1 mission" : `${missions.length} missions`;

function previewText(action: Action, missions: readonly ListedMission[], more: boolean): string {
  if (missions.length === 0) return "Nothing fits.";
  const rows = missions
    .slice(0, SHOWN)
    .map(({ workflow_id, kind, state, agent, graph }) => [workflow_id, kind, state, agent ?? graph ?? ""]);
  const rest = missions.length - rows.length;
  return [
    `navigator batch ${action}: ${counted(missions)}`,
    renderTable(rows, ["ID", "KIND", "STATE", "ABOUT"]),
    ...(rest > 0 ? [`and ${rest} more`] : []),
    ...(more ? ["Further missions fit: run the command again, or raise --limit."] : []),
  ].join("\n");
}

const confirmed = (io: CommandIo, action: Action, missions: readonly ListedMission[], more: boolean): Promise<void> =>
  confirm(io, `${previewText(action, missions, more)}\nDo it?`, {
    message: `This would ${action} ${counted(missions)}. Nothing was done.`,
    hint: "To see them: --dry-run. To do it without a question: --yes",
    details: { action, missions: missions.map(({ workflow_id }) => workflow_id), more },
  });

type Act = (workflowId: string) => Promise<unknown>;

function actOn(client: NavigatorClient, action: Action, given: EndedBy, requested_by: string | undefined): Act {
  if (action !== "retry") return (id) => handleOf(client, id)[action](given);
  const tasks = new TaskService(client);
  return (id) =>
    retryMission(client, id, {
      ...{ ...given, requested_by },
      createTask: (task, drive, tried) => tasks.createTask(task, { drive, retry: tried }),
    });
}

async function actOnEach(missions: readonly ListedMission[], act: Act): Promise<Pick<BatchAnswer, "done" | "refused">> {
  const done: string[] = [];
  const refused: BatchAnswer["refused"] = [];
  const waiting = [...missions];
  const next = async (): Promise<void> => {
    for (let mission = waiting.shift(); mission !== undefined; mission = waiting.shift()) {
      const { workflow_id } = mission;
      try {
        await act(workflow_id);
        done.push(workflow_id);
      } catch (error) {
        refused.push({ workflow_id, error: errorReport(error) });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  return { done, refused };
}

const PAST: { readonly [action in Action]: string } = {
  cancel: "asked to stop",
  pause: "paused",
  resume: "resumed",
  retry: "retried",
  terminate: "terminated",
};

const answerText = ({ action, done, refused, more }: BatchAnswer): string =>
  [
    `${counted(done)} ${PAST[action]}.`,
    ...refused.map(({ workflow_id, error }) => `Refused: ${shellWord(workflow_id)}: [${error.code}] ${error.message}`),
    ...(more ? ["Further missions fit: run the command again, or raise --limit."] : []),
  ].join("\n");
