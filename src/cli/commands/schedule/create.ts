import type { ScheduleAgent } from "../../../client/schedule";
import { findSchedule, namedSchedule, OVERLAP } from "../../../client/schedule-runs";
import { shownSchedule } from "../../../client/schedules/project-schedules";
import { defined } from "../../../core/base/defined";
import type { PeriodLength } from "../../../core/base/ids";
import { checkTiming } from "../../../node/check-timing";
import { loadConfig } from "../../../node/settings";
import { loadProject } from "../../../project/load";
import { shortModelNames } from "../../../project/short-model-names";
import {
  BUDGET_OPTION,
  budgetArgument,
  duration,
  jsonObjectArgument,
  oneOf,
  SHARE_OPTIONS,
  type ShareFlags,
  shareArguments,
} from "../../input/arguments";
import { modelOf } from "../../input/model-name";
import { withSession } from "../../session/session";
import { requester } from "../../session/signing";
import { CONFIG_OPTION, type CommandSpec, required } from "../../terminal/command";

import type { CommandIo } from "../../terminal/io";

interface CreateOptions extends ShareFlags {
  id: string;
  cron: string;
  timezone?: string;
  oncePer: string;
  overlap: string;
  catchUp?: string;
  context: string;
  model?: string;
  budget?: string;
  config?: string;
}

const PERIODS: readonly PeriodLength[] = ["day", "hour", "minute"];

/** `navigator schedule create`. */
export const scheduleCreateCommands: readonly CommandSpec[] = [
  {
    name: "create <agent>",
    about: "run an agent of the project by the clock; an --id that exists is changed to these options",
    options: [
      ...SHARE_OPTIONS,
      required("--id <id>", "of the schedule, and the first part of its runs' ids"),
      required("--cron <text>", '"0 2 * * *": every night at two'),
      ["--timezone <name>", "as in Europe/Berlin (default: UTC)"],
      [
        "--once-per <period>",
        `a second run in the same ${PERIODS.join(", ")} is not started; days are the time zone's`,
        "minute",
      ],
      ["--overlap <what>", "if the run before has not ended: skip, wait_for_last, wait_for_all, side_by_side", "skip"],
      ["--catch-up <time>", "do not start runs that were due longer ago, while the server was down (default: a year)"],
      ["--context <json>", "input of the agent, JSON or @FILE", "{}"],
      ["--model <name>", "provider/model (default: the agent's, NAVIGATOR_MODEL, else scripted)"],
      [BUDGET_OPTION[0], `for each run: ${BUDGET_OPTION[1]}`],
      CONFIG_OPTION,
    ],
    notes: "The server starts the runs: a worker must be up for them to be done.",
    examples: [
      "navigator schedule create charge --id charges --cron '0 2 * * *' --timezone Europe/Berlin --once-per day",
    ],
    run: create,
  },
];

/** All mistakes in the input are found before a server is looked up. */
async function create(io: CommandIo, agentName: string, options: CreateOptions): Promise<void> {
  const { id, cron, timezone } = options;
  const context = jsonObjectArgument("--context", options.context);
  const budget = budgetArgument(options.budget);
  const share = shareArguments(options);
  const once_per = oneOf("--once-per", options.oncePer, PERIODS);
  const catch_up_ms = options.catchUp === undefined ? undefined : duration("--catch-up", options.catchUp);
  const overlap = oneOf("--overlap", options.overlap, Object.keys(OVERLAP) as (keyof typeof OVERLAP)[]);
  checkTiming({ cron, timezone });
  const project = await loadProject(options.config ?? process.cwd());
  try {
    const agent = await project.agent(agentName);
    const choice = { option: options.model, agent: [agent.model].flat()[0], config: loadConfig() };
    const model = modelOf(choice, project.models, false);
    await withSession(io, "start", async ({ client }) => {
      const updated = (await findSchedule(client, id)) !== null;
      const asked: ScheduleAgent = {
        ...{ id, cron, once_per, overlap, agent, context, model },
        ...defined({ timezone, catch_up_ms, budget, requested_by: await requester(io) }),
        llm_registry: shortModelNames(project.models),
        ...share,
      };
      await client.scheduleAgent(asked);
      const shown = await shownSchedule(client, await namedSchedule(client, id), 1);
      const next = shown.paused ? "it is paused" : `next run ${shown.next[0] ?? "never"}`;
      io.result(
        { ...shown, updated },
        () => `Schedule ${id} ${updated ? "was there and is updated" : "is created"}: ${next}.`,
      );
    });
  } finally {
    await project.close();
  }
}
