import type { Command } from "commander";
import type { NamedSchedule } from "../../../client/schedule-runs";
import { actorOfShell } from "../../session/actor";
import { withSession } from "../../session/session";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { registerScheduleCreate } from "./create";
import { registerScheduleStarts } from "./starts";

/** `navigator schedule`: agents that run by the clock. */
export function registerSchedule(program: Command, io: CommandIo): void {
  const schedule = program.command("schedule").description("agents that the server starts by the clock");
  registerScheduleCreate(schedule, io);

  schedule
    .command("list")
    .description("the project's schedules: when they run next, and how the last run ended")
    .addHelpText("after", "\nExample:\n  $ navigator schedule list")
    .action(() =>
      withSession(io, false, async ({ client }) => {
        const [{ projectSchedules }, { scheduleListText }] = await Promise.all([
          import("../../../client/schedules/project-schedules"),
          import("../../show/missions/schedules"),
        ]);
        const schedules = await projectSchedules(client);
        io.result({ schedules }, () => scheduleListText(schedules, io.color));
        return EXIT.done;
      }),
    );

  schedule
    .command("show <id>")
    .description("one schedule, its next runs and its last ones with their results")
    .addHelpText("after", "\nExample:\n  $ navigator schedule show reconcile")
    .action((id: string) =>
      withSession(io, false, async ({ client }) => {
        const [{ namedSchedule }, { shownSchedule }, { scheduleText }] = await Promise.all([
          import("../../../client/schedule-runs"),
          import("../../../client/schedules/project-schedules"),
          import("../../show/missions/schedules"),
        ]);
        const shown = await shownSchedule(client, await namedSchedule(client, id), 10);
        io.result(shown, () => scheduleText(shown, io.color));
        return EXIT.done;
      }),
    );

  schedule
    .command("pause <id>")
    .description("start no more runs until it is resumed; runs that are under way go on")
    .option("--note <text>", "why; schedule show tells it")
    .addHelpText("after", "\nExample:\n  $ navigator schedule pause reconcile --note 'the bank is closed'")
    .action((id: string, { note }: { note?: string }) =>
      change(io, id, "is paused", async ({ handle }) => handle.pause(await saidBy(io, note))),
    );

  schedule
    .command("resume <id>")
    .description("start runs again by the clock; what was due in the pause is not made up for")
    .option("--note <text>", "why; schedule show tells it")
    .addHelpText("after", "\nExample:\n  $ navigator schedule resume reconcile")
    .action((id: string, { note }: { note?: string }) =>
      change(io, id, "runs by the clock again", async ({ handle }) => handle.unpause(await saidBy(io, note))),
    );

  registerScheduleStarts(schedule, io);

  schedule
    .command("delete <id>")
    .description("delete the schedule; runs that it started go on and stay")
    .addHelpText("after", "\nExample:\n  $ navigator schedule delete reconcile")
    .action((id: string) => change(io, id, "is deleted", async ({ handle }) => handle.delete()));
}

/** Never empty: the server would take an empty note for no change at all. */
async function saidBy(io: CommandIo, note: string | undefined): Promise<string> {
  const by = `by ${await actorOfShell(io, undefined)}`;
  return note === undefined || note.trim() === "" ? by : `${by}: ${note}`;
}

/** Does something to a schedule that the project has. @param done what is said then */
function change(io: CommandIo, id: string, done: string, act: (named: NamedSchedule) => Promise<void>): Promise<void> {
  return withSession(io, false, async ({ client }) => {
    const [{ namedSchedule }, { ask }] = await Promise.all([
      import("../../../client/schedule-runs"),
      import("../../../client/errors"),
    ]);
    const named = await namedSchedule(client, id);
    await ask(() => act(named));
    io.result({ id, done }, () => `Schedule ${id} ${done}.`);
    return EXIT.done;
  });
}
