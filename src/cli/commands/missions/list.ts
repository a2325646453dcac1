import type { Command } from "commander";
import type { MissionState } from "../../../client/listing/mission-state";
import type { MissionListOptions } from "../../../client/missions";
import { defined } from "../../../core/base/defined";
import type { MissionKind } from "../../../core/base/ids";
import { timeArgument } from "../../input/date-argument";
import { duration, wholeNumber } from "../../input/number-argument";
import { oneOf } from "../../input/one-of";
import { withSession } from "../../session/session";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

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
export function registerList(program: Command, io: CommandIo): void {
  program
    .command("list")
    .description("list missions, tasks and plans: open ones first, then the newest; needs no worker")
    .option("--status <state>", "only running, waiting, blocked, paused, completed, failed, cancelled, ...")
    .option("--kind <kind>", `only ${KINDS.join(", ")}`)
    .option("--agent <name>", "only missions of this agent")
    .option("--graph <id>", "only tasks on this graph")
    .option("--since <time>", "only what was started since then: 2h ago as 2h, or a date")
    .option("--until <time>", "only what was started before that: 2h ago as 2h, or a date")
    .option("--text <text>", "only what has this text in its id, agent, graph, step or issue")
    .option("--query <text>", "a part of a query in the server's language, which it must fit as well")
    .option("--limit <number>", "items of a page (default 50, at most 200)")
    .option("--page <token>", "the next page, as the page before says")
    .option("--no-errors", "do not read why missions failed: quicker for long pages")
    .addHelpText(
      "after",
      "\nExample:\n  $ navigator list --status failed --since 24h\n  $ navigator list --query 'CloseTime > \"2026-11-26T00:00:00Z\"' --json",
    )
    .action(async (options: ListOptions) => {
      const { MISSION_STATES } = await import("../../../client/listing/mission-state");
      const asked = listOptions(options, MISSION_STATES);
      return withSession(io, false, async ({ client }) => {
        const [{ listMissions }, { wholePage }, { missionListText }] = await Promise.all([
          import("../../../client/missions"),
          import("./whole-page"),
          import("../../show/missions/mission-list"),
        ]);
        const { isMore, ...page } = await wholePage((options) => listMissions(client, options), asked);
        io.result(page, () => missionListText(page, { isMore, now: Date.now() }, io.color));
        return EXIT.done;
      });
    });
}

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
