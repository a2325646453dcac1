import { type Backfilled, OVERLAP, type TriggeredRun } from "../../../client/schedule-runs";
import { defined } from "../../../core/base/defined";
import { timeArgument } from "../../input/date-argument";
import { oneOf } from "../../input/one-of";
import { withSession } from "../../session/session";
import { type CommandSpec, required } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import { badUsage } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";

/** `navigator schedule trigger` and `backfill`: runs that a person starts. */
export const scheduleStartsCommands: readonly CommandSpec[] = [
  {
    name: "trigger <id>",
    about: "start a run now, also of a paused schedule; --once-per of the schedule holds",
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

interface BackfillOptions {
  from: string;
  to: string;
  neverRan?: boolean;
  yes?: boolean;
}

function backfill(io: CommandIo, id: string, options: BackfillOptions): Promise<void> {
  const from = new Date(timeArgument("--from", options.from));
  // The end of a day is the first moment of the next one, whose run is not meant.
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
      return `Schedule ${id} was told to start a run; the server has not said yet what became of it. See: navigator schedule show ${id}`;
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
