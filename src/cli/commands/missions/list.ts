import { MISSION_STATES, type MissionState } from "../../../client/listing/mission-state";
import { listMissions, type MissionListOptions } from "../../../client/missions";
import { defined } from "../../../core/base/defined";
import type { MissionKind } from "../../../core/base/ids";
import { timeArgument } from "../../input/date-argument";
import { duration, wholeNumber } from "../../input/number-argument";
import { oneOf } from "../../input/one-of";
import { withSession } from "../../session/session";
import { missionListText } from "../../show/missions/mission-list";
import type { TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";
import { wholePage } from "./whole-page";

interface ListOptions {
  status?: string;
  kind?: string;
  agent?: string;
  graph?: string;
  since?: string;
  until?: string;
  text?: string;
  query?: string;
  limit?: string;
  page?: string;
  errors: boolean;
}

const KINDS: readonly MissionKind[] = ["agent", "task", "plan"];

/** `navigator list`: missions, tasks and plans as the server lists them. */
export const listCommands: TopCommands = {
  list: {
    options: [
      ["--status <state>", "only running, waiting, blocked, paused, completed, failed, cancelled, ..."],
      ["--kind <kind>", `only ${KINDS.join(", ")}`],
      ["--agent <name>", "only missions of this agent"],
      ["--graph <id>", "only tasks on this graph"],
      ["--since <time>", "only what was started since then: 2h ago as 2h, or a date"],
      ["--until <time>", "only what was started before that: 2h ago as 2h, or a date"],
      ["--text <text>", "only what has this text in its id, agent, graph, step or issue"],
      ["--query <text>", "a part of a query in the server's language, which it must fit as well"],
      ["--limit <number>", "items of a page (default 50, at most 200)"],
      ["--page <token>", "the next page, as the page before says"],
      ["--no-errors", "do not read why missions failed: quicker for long pages"],
    ],
    examples: [
      "navigator list --status failed --since 24h",
      "navigator list --query 'CloseTime > \"2026-11-26T00:00:00Z\"' --json",
    ],
    run: async (io: CommandIo, options: ListOptions) => {
      const asked = listOptions(options, MISSION_STATES);
      return withSession(io, "read", async ({ client }) => {
        const { isMore, ...page } = await wholePage((options) => listMissions(client, options), asked);
        io.result(page, () => missionListText(page, { isMore, now: Date.now() }, io.color));
      });
    },
  },
};

/** @throws NavigatorError `bad_usage` */
function listOptions(options: ListOptions, states: readonly MissionState[]): MissionListOptions {
  const { agent, graph, text, query, page, errors } = options;
  const now = Date.now();
  return defined({
    ...{ agent, graph, text, query, page, errors },
    state: options.status === undefined ? undefined : oneOf("--status", options.status.toLowerCase(), states),
    kind: options.kind === undefined ? undefined : oneOf("--kind", options.kind, KINDS),
    size: wholeNumber("--limit", options.limit, 1),
    started_after: options.since === undefined ? undefined : moment("--since", options.since, now),
    started_before: options.until === undefined ? undefined : moment("--until", options.until, now),
  });
}

/** Ms since 1970 of a date, or of so long ago. */
const moment = (option: string, text: string, now: number): number =>
  /^\d{4}-/.test(text) ? Date.parse(timeArgument(option, text)) : now - duration(option, text);
