import type { Command } from "commander";
import type { EndedBy } from "../../../client/run-control";
import { defined } from "../../../core/base/defined";
import { isTopTask } from "../../../core/base/ids";
import { type Paused, pausedText } from "../../../core/base/input/pause";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { handleOf, namedMission } from "./end";

interface PauseOptions {
  note?: string;
  by?: string;
}

/** `navigator pause` and `navigator resume`. */
export function registerPause(program: Command, io: CommandIo): void {
  program
    .command("pause <id>")
    .description("hold a mission, task or plan with all below it: it begins nothing new until it is resumed")
    .option("--note <text>", "why; it stands in the history")
    .option(...BY_OPTION)
    .addHelpText(
      "after",
      "\nWhat is under way ends and is kept. People may go on deciding: it acts after navigator resume. Its own time limits stand still.\nA worker must be up: without one nothing is sent (no_worker).\n\nExample:\n  $ navigator pause order-42 --note 'the bank is closed'",
    )
    .action((id: string, options: PauseOptions) => pause(io, id, options));

  program
    .command("resume <id>")
    .description("let a paused mission, task or plan go on")
    .option("--note <text>", "why; it stands in the history")
    .option(...BY_OPTION)
    .addHelpText("after", "\nWhat is paused: navigator list --status paused\n\nExample:\n  $ navigator resume order-42")
    .action((id: string, options: PauseOptions) => resume(io, id, options));
}

async function pause(io: CommandIo, id: string, options: PauseOptions): Promise<void> {
  await change(io, id, options, async ({ whole, said, handle }) => {
    // A task does not tell who paused it before.
    const paused: Omit<Paused, "at"> = (await handle.pause(said)) ?? said;
    const help = isTopTask(whole) ? "Its agent goes on, and what it gives is dropped." : "What is under way ends.";
    io.result({ workflow_id: whole, paused }, () =>
      [`${whole} is paused ${pausedText(paused)}. ${help}`, `To let it go on: navigator resume ${whole}`].join("\n"),
    );
  });
}

async function resume(io: CommandIo, id: string, options: PauseOptions): Promise<void> {
  await change(io, id, options, async ({ whole, said, handle }) => {
    await handle.resume(said);
    io.result({ workflow_id: whole, by: said.by }, () => `${whole} goes on.`);
  });
}

interface Named {
  whole: string;
  said: EndedBy;
  handle: ReturnType<typeof handleOf>;
}

/** Finds what the command names, and who says it. */
function change(
  io: CommandIo,
  id: string,
  { note, by }: PauseOptions,
  work: (named: Named) => Promise<void>,
): Promise<void> {
  return withSession(io, false, async ({ client }) => {
    const whole = await namedMission(client, id);
    const said = { by: await actorOfShell(io, by), ...defined({ note }) };
    await work({ whole, said, handle: handleOf(client, whole) });
    return EXIT.done;
  });
}
