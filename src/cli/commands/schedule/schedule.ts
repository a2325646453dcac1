import { ask } from "../../../client/errors";
import {
  type Backfilled,
  type NamedSchedule,
  namedSchedule,
  OVERLAP,
  type TriggeredRun,
} from "../../../client/schedule-runs";
import { type ProjectSchedule, projectSchedules, shownSchedule } from "../../../client/schedules/project-schedules";
import { defined } from "../../../core/base/defined";
import { shellWord } from "../../../node/shell-word";
import { oneOf, timeArgument } from "../../input/arguments";
import { actorOfShell } from "../../session/actor";
import { withSession } from "../../session/session";
import { type CommandSpec, required, type TopCommands } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { type Colors, renderTable } from "../../terminal/render";
import { scheduleCreateCommands } from "./create";

/** Never empty: the server would take an empty note for no change at all. */
async function reasonOf(io: CommandIo, note: string | undefined): Promise<string> {
  const by = `by ${await actorOfShell(io, undefined)}`;
  return note === undefined || note.trim() === "" ? by : `${by}: ${note}`;
}

/** Changes a schedule that the project has. @param done the words for the answer */
function change(io: CommandIo, id: string, done: string, act: (named: NamedSchedule) => Promise<void>): Promise<void> {
  return withSession(io, "read", async ({ client }) => {
    const named = await namedSchedule(client, id);
    await ask(() => act(named));
    io.result({ id, done }, () => `Schedule ${id} ${done}.`);
  });
}

/** The project's schedules as a table. */
function scheduleListText(schedules: readonly ProjectSchedule[], color: Colors): string {
  if (schedules.length === 0) return "The project has no schedules.";
  const rows = schedules.map((schedule) => [
    schedule.id,
    schedule.agent,
    schedule.paused ? color.yellow("paused") : (schedule.next[0] ?? "never"),
    schedule.last[0]?.due ?? "",
    schedule.last[0]?.result ?? "",
  ]);
  return renderTable(rows, ["ID", "AGENT", "NEXT RUN", "LAST RUN", "RESULT"]);
}

/** One schedule with its runs. */
function scheduleText(schedule: ProjectSchedule, color: Colors): string {
  const { id, agent, paused, note, timezone, once_per, days_in, overlap, next, last } = schedule;
  return [
    `${id}: agent ${agent}, ${paused ? color.yellow("paused") : "runs by the clock"}${note === undefined ? "" : ` (${note})`}`,
    `Time zone ${timezone}, once per ${once_per}${days_in === undefined ? "" : ` of ${days_in}`}, overlap ${overlap}`,
    "",
    paused
      ? "No next runs."
      : renderTable(
          next.slice(0, 5).map((time) => [time]),
          ["NEXT RUNS"],
        ),
    "",
    last.length === 0
      ? "No run was started."
      : renderTable(
          last.map(({ due, result, found, mission }) => [due, found ? `${result} (was there)` : result, mission]),
          ["LAST RUNS", "RESULT", "MISSION"],
        ),
  ].join("\n");
}

/** `navigator schedule trigger` and `backfill`: runs that a person starts. */
const scheduleStartsCommands: readonly CommandSpec[] = [
  {
    name: "trigger <id>",
    about: "start a run now, also of a paused schedule; its --once-per applies",
    options: [["--overlap <what>", "if the run before has not ended, as for create (default: the schedule's own)"]],
    examples: ["navigator schedule trigger reconcile"],
    run: async (io: CommandIo, id: string, options: { overlap?: string }) => {
      const words = Object.keys(OVERLAP) as (keyof typeof OVERLAP)[];
      const overlap = options.overlap === undefined ? undefined : oneOf("--overlap", options.overlap, words);
      return withSession(io, "read", async ({ client }) => {
        const run = await client.triggerSchedule(id, defined({ overlap }));
        io.result({ id, ...run }, () => triggeredText(id, run));
      });
    },
  },
  {
    name: "backfill <id>",
    about: "start the runs that were due in a time that is over, one after another",
    options: [
      required("--from <time>", "a day (UTC), or a time with its zone"),
      required("--to <time>", "a day (UTC) with its end, or a time with its zone"),
      ["--never-ran", "runs that the server may have forgotten surely never were: start them, too"],
      ["--yes", "with --never-ran: do not ask"],
    ],
    notes: `Runs that are there are not started again. The server forgets runs that are over after the namespace's retention (the
embedded server: one day). Runs before that are refused, since each that was would be done a second time.`,
    examples: ["navigator schedule backfill reconcile --from 2026-11-20 --to 2026-11-22"],
    run: backfill,
  },
];

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
        about: "start no more runs until it is resumed; runs that are under way continue",
        options: [["--note <text>", "the reason, shown by schedule show"]],
        examples: ["navigator schedule pause reconcile --note 'the bank is closed'"],
        run: (io: CommandIo, id: string, { note }: { note?: string }) =>
          change(io, id, "is paused", async ({ handle }) => handle.pause(await reasonOf(io, note))),
      },
      {
        name: "resume <id>",
        about: "start runs again by the clock; runs that were due in the pause are skipped",
        options: [["--note <text>", "the reason, shown by schedule show"]],
        examples: ["navigator schedule resume reconcile"],
        run: (io: CommandIo, id: string, { note }: { note?: string }) =>
          change(io, id, "runs by the clock again", async ({ handle }) => handle.unpause(await reasonOf(io, note))),
      },
      ...scheduleStartsCommands,
      {
        name: "delete <id>",
        about: "delete the schedule; runs that it started continue and stay",
        examples: ["navigator schedule delete reconcile"],
        run: (io: CommandIo, id: string) => change(io, id, "is deleted", async ({ handle }) => handle.delete()),
      },
    ],
  },
};

interface BackfillOptions {
  from: string;
  to: string;
  neverRan?: boolean;
  yes?: boolean;
}

function backfill(io: CommandIo, id: string, options: BackfillOptions): Promise<void> {
  const from = new Date(timeArgument("--from", options.from));
  // The end of a day is the first moment of the next one, whose run does not belong to the range.
  const isDay = !options.to.includes("T");
  const to = new Date(Date.parse(timeArgument("--to", options.to, { end: true })) - (isDay ? 1 : 0));
  if (to <= from) throw badUsage("--to", `--to must be after --from, got ${options.from} to ${options.to}.`);
  const never_ran = options.neverRan === true;
  return withSession(io, "read", async ({ client }) => {
    if (never_ran && options.yes !== true)
      await confirm(io, `${AGAIN}\nDid none of ${options.from} to ${options.to} run?`, {
        message: `${AGAIN} Nothing was started.`,
        hint: "Add --yes if they surely never ran.",
        details: { id, from: from.toISOString(), to: to.toISOString() },
      });
    const runs = await client.backfillSchedule(id, { from, to, never_ran });
    io.result({ id, ...runs }, () => backfilledText(id, runs));
  });
}

const AGAIN =
  "With --never-ran, runs that the server has forgotten are started. Each that did run is done again, with its payments and messages.";

function triggeredText(id: string, run: TriggeredRun): string {
  switch (run.became) {
    case "started":
      return `Schedule ${id} started ${run.start.mission}.`;
    case "found":
      return `Schedule ${id} started nothing: ${run.start.mission} is there already (${run.start.result}).`;
    case "skipped":
      return `Schedule ${id} started nothing: the run before has not ended, and its overlap is skip.`;
    case "waits":
      return `Schedule ${id} starts a run when the one before has ended.`;
    case "unknown":
      return `Schedule ${id} received the request to start a run; the server has not reported the result yet. See: navigator schedule show ${shellWord(id)}`;
  }
}

function backfilledText(id: string, { new: started, found }: Backfilled): string {
  const lines = (word: string, runs: Backfilled["found"]) =>
    runs.map(({ due, mission }) => `  ${word}  ${due}  ${mission}`);
  const count =
    started.length === 0 ? "starts nothing" : `starts ${started.length} ${started.length === 1 ? "run" : "runs"}`;
  return [
    `Schedule ${id} ${count}; ${found.length} ${found.length === 1 ? "was" : "were"} there already.`,
    ...lines("new  ", started),
    ...lines("found", found),
  ].join("\n");
}
