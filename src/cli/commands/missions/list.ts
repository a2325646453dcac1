import { MISSION_STATES, type MissionState } from "../../../client/listing/mission-state";
import { type ListedMission, listMissions, type MissionListOptions, type MissionPage } from "../../../client/missions";
import { defined } from "../../../core/base/defined";
import type { MissionKind } from "../../../core/base/ids";
import { pausedText } from "../../../core/base/input/pause";
import { joinLines } from "../../../core/base/one-line";
import { fitted } from "../../../core/base/whole-characters";
import { failedCallText } from "../../../core/history/read/failed-call";
import { duration, oneOf, timeArgument, wholeNumber } from "../../input/arguments";
import { withSession } from "../../session/session";
import type { TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";
import { type Colors, renderDuration, renderTable, renderTime } from "../../terminal/render";

/** Which missions a command is about. */
export interface ListFilter {
  status?: string;
  kind?: string;
  agent?: string;
  graph?: string;
  since?: string;
  until?: string;
  text?: string;
  query?: string;
}

interface ListOptions extends ListFilter {
  limit?: string;
  page?: string;
  errors: boolean;
}

const KINDS: readonly MissionKind[] = ["agent", "task", "plan"];

/** The options of `ListFilter`. */
export const FILTER_OPTIONS: readonly (readonly [flags: string, about: string])[] = [
  ["--status <state>", "only running, waiting, blocked, paused, completed, failed, cancelled, ..."],
  ["--kind <kind>", `only ${KINDS.join(", ")}`],
  ["--agent <name>", "only missions of this agent"],
  ["--graph <id>", "only tasks on this graph"],
  ["--since <time>", "only runs started since then: 2h ago as 2h, or a date"],
  ["--until <time>", "only runs started before that: 2h ago as 2h, or a date"],
  ["--text <text>", "only what has this text in its id, agent, graph, step or issue"],
  ["--query <text>", "a part of a query in the server's language, which it must fit as well"],
];

/** `navigator list`: missions, tasks and plans as the server lists them. */
export const listCommands: TopCommands = {
  list: {
    options: [
      ...FILTER_OPTIONS,
      ["--limit <number>", "items of a page (default 50, at most 200)"],
      ["--page <token>", "the page token from the previous page"],
      ["--no-errors", "do not read why missions failed: quicker for long pages"],
    ],
    examples: [
      "navigator list --status failed --since 24h",
      "navigator list --query 'CloseTime > \"2026-11-26T00:00:00Z\"' --json",
    ],
    run: async (io: CommandIo, options: ListOptions) => {
      const asked = listOptions(options);
      return withSession(io, "read", async ({ client }) => {
        const { isMore, ...page } = await wholePage((options) => listMissions(client, options), asked);
        io.result(page, () => missionListText(page, { isMore, now: Date.now() }, io.color));
      });
    },
  },
};

/** @throws NavigatorError `bad_usage` */
export function listOptions(options: ListOptions): MissionListOptions {
  const { agent, graph, text, query, page, errors } = options;
  const now = Date.now();
  return defined({
    ...{ agent, graph, text, query, page, errors },
    state: options.status === undefined ? undefined : oneOf("--status", options.status.toLowerCase(), MISSION_STATES),
    kind: options.kind === undefined ? undefined : oneOf("--kind", options.kind, KINDS),
    size: wholeNumber("--limit", options.limit, 1),
    started_after: options.since === undefined ? undefined : moment("--since", options.since, now),
    started_before: options.until === undefined ? undefined : moment("--until", options.until, now),
  });
}

/** Ms since 1970 of a date, or of so long ago. */
const moment = (option: string, text: string, now: number): number =>
  /^\d{4}-/.test(text) ? Date.parse(timeArgument(option, text)) : now - duration(option, text);

/** Pages of the server are looked at for so long, in ms, until it is known whether there is more. */
const LOOK_MS = 3_000;
const SIZE = 50;

/** A page, and whether something is known to come after it. */
interface WholePage extends MissionPage {
  /** false = the time was over before all were looked at. */
  isMore: boolean;
}

/**
 * Reads a full page of missions, or all that fit. A list gives `next` as long as the server can continue, even if no further mission
 * fits.
 */
export async function wholePage(
  list: (options: MissionListOptions) => Promise<MissionPage>,
  asked: MissionListOptions,
): Promise<WholePage> {
  const { size = SIZE } = asked;
  const until = Date.now() + LOOK_MS;
  const { missions, next: after } = await list(asked);
  let next = after;
  while (next !== undefined && missions.length < size && Date.now() < until) {
    const page = await list({ ...asked, page: next });
    missions.push(...page.missions);
    next = page.next;
  }
  let following: MissionPage = { missions: [], ...(next === undefined ? {} : { next }) };
  while (following.next !== undefined && following.missions.length === 0 && Date.now() < until)
    following = await list({ ...asked, errors: false, size: 1, page: following.next });
  const isMore = following.missions.length > 0;
  return next === undefined || (!isMore && following.next === undefined)
    ? { missions, isMore: false }
    : { missions, next, isMore };
}

const MAX_TEXT = 80;
/** The last column has the reason and the call that failed. */
const MAX_ERROR = 160;

/**
 * The page of a list of missions, as a table.
 *
 * @param isMore whether something that fits is known to come after it @param now ms since 1970
 */
function missionListText(
  { missions, next }: MissionPage,
  { isMore, now }: { isMore: boolean; now: number },
  color: Colors,
): string {
  const known = isMore ? "There is more." : "Not all were looked at.";
  const more = next === undefined ? [] : [`${known} Next page: add --page ${next}`];
  if (missions.length === 0) return more.length === 0 ? "Nothing fits." : more.join("\n");
  const rows = missions.map((mission) => rowOf(mission, now, color));
  // A column that no row needs is left out.
  const used = HEADER.map((_, at) => at < ALWAYS || rows.some((row) => row[at] !== ""));
  const kept = <T>(row: readonly T[]): T[] => row.filter((_, at) => used[at]);
  return [renderTable(rows.map(kept), kept(HEADER)), ...more].join("\n");
}

const HEADER = ["ID", "KIND", "STATE", "STARTED (UTC)", "SINCE", "ABOUT", "WAITS FOR", "COST", "ERROR"];
const ALWAYS = 4;

const LOOKS: { readonly [state in MissionState]?: keyof Colors } = {
  waiting: "yellow",
  blocked: "yellow",
  paused: "yellow",
  failed: "red",
  terminated: "red",
  timed_out: "red",
  completed: "green",
};

function rowOf(mission: ListedMission, now: number, color: Colors): string[] {
  const { workflow_id, kind, state, started_at, since, paused, waits_for, error, failed_call } = mission;
  const look = LOOKS[state];
  const word = state.replace("_", " ");
  return [
    workflow_id,
    kind,
    look === undefined ? word : color[look](word),
    renderTime(started_at),
    since === undefined ? "" : renderDuration(now - since),
    aboutText(mission),
    short(paused === undefined ? (waits_for ?? "") : `paused ${joinLines(pausedText(paused))}`),
    costText(mission),
    short(`${error ?? ""}${failedCallText(failed_call)}`, MAX_ERROR),
  ];
}

function aboutText({ agent, graph, step, issue }: ListedMission): string {
  const place = graph === undefined ? agent : `${graph}${step === undefined ? "" : ` at ${step}`}`;
  return [place, issue].filter((part) => part !== undefined && part !== "").join(", ");
}

const costText = ({ cost, tokens }: ListedMission): string =>
  cost !== undefined ? `$${cost.toFixed(cost < 1 ? 4 : 2)}` : tokens !== undefined ? `${tokens} tokens` : "";

const short = (text: string, most = MAX_TEXT): string => fitted(text, most);
