import { ask } from "../../../client/errors";
import { type NamedSchedule, namedSchedule } from "../../../client/schedule-runs";
import { projectSchedules, shownSchedule } from "../../../client/schedules/project-schedules";
import { actorOfShell } from "../../session/actor";
import { withSession } from "../../session/session";
import { scheduleListText, scheduleText } from "../../show/missions/schedules";
import type { TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";
import { scheduleCreateCommands } from "./create";
import { scheduleStartsCommands } from "./starts";

/** `navigator schedule`: agents that run by the clock. */
export const scheduleCommands: TopCommands = {
  schedule: {
    commands: [
      ...scheduleCreateCommands,
      {
        name: "list",
        about: "the project's schedules: when they run next, and how the last run ended",
        examples: ["navigator schedule list"],
        run: (io: CommandIo) =>
          withSession(io, "read", async ({ client }) => {
            const schedules = await projectSchedules(client);
            io.result({ schedules }, () => scheduleListText(schedules, io.color));
          }),
      },
      {
        name: "show <id>",
        about: "one schedule, its next runs and its last ones with their results",
        examples: ["navigator schedule show reconcile"],
        run: (io: CommandIo, id: string) =>
          withSession(io, "read", async ({ client }) => {
            const shown = await shownSchedule(client, await namedSchedule(client, id), 10);
            io.result(shown, () => scheduleText(shown, io.color));
          }),
      },
      {
        name: "pause <id>",
        about: "start no more runs until it is resumed; runs that are under way go on",
        options: [["--note <text>", "why; schedule show tells it"]],
        examples: ["navigator schedule pause reconcile --note 'the bank is closed'"],
        run: (io: CommandIo, id: string, { note }: { note?: string }) =>
          change(io, id, "is paused", async ({ handle }) => handle.pause(await saidBy(io, note))),
      },
      {
        name: "resume <id>",
        about: "start runs again by the clock; what was due in the pause is not made up for",
        options: [["--note <text>", "why; schedule show tells it"]],
        examples: ["navigator schedule resume reconcile"],
        run: (io: CommandIo, id: string, { note }: { note?: string }) =>
          change(io, id, "runs by the clock again", async ({ handle }) => handle.unpause(await saidBy(io, note))),
      },
      ...scheduleStartsCommands,
      {
        name: "delete <id>",
        about: "delete the schedule; runs that it started go on and stay",
        examples: ["navigator schedule delete reconcile"],
        run: (io: CommandIo, id: string) => change(io, id, "is deleted", async ({ handle }) => handle.delete()),
      },
    ],
  },
};

/** Never empty: the server would take an empty note for no change at all. */
async function saidBy(io: CommandIo, note: string | undefined): Promise<string> {
  const by = `by ${await actorOfShell(io, undefined)}`;
  return note === undefined || note.trim() === "" ? by : `${by}: ${note}`;
}

/** Does something to a schedule that the project has. @param done what is said then */
function change(io: CommandIo, id: string, done: string, act: (named: NamedSchedule) => Promise<void>): Promise<void> {
  return withSession(io, "read", async ({ client }) => {
    const named = await namedSchedule(client, id);
    await ask(() => act(named));
    io.result({ id, done }, () => `Schedule ${id} ${done}.`);
  });
}
