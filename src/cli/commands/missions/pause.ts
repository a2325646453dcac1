import type { EndedBy } from "../../../client/run-control";
import { defined } from "../../../core/base/defined";
import { isTopTask } from "../../../core/base/ids";
import { type Paused, pausedText } from "../../../core/base/input/pause";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import type { TopCommands } from "../../terminal/command";
import type { CommandIo } from "../../terminal/io";
import { handleOf, namedMission } from "./end";

interface PauseOptions {
  note?: string;
  by?: string;
}

/** `navigator pause` and `navigator resume`. */
export const pauseCommands: TopCommands = {
  pause: {
    options: [["--note <text>", "why; it stands in the history"], BY_OPTION],
    notes: `What is under way ends and is kept. People may go on deciding: it acts after navigator resume. Its own time limits stand still.
A worker must be up: without one nothing is sent (no_worker).`,
    examples: ["navigator pause order-42 --note 'the bank is closed'"],
    run: pause,
  },
  resume: {
    options: [["--note <text>", "why; it stands in the history"], BY_OPTION],
    notes: "What is paused: navigator list --status paused",
    examples: ["navigator resume order-42"],
    run: resume,
  },
};

async function pause(io: CommandIo, id: string, options: PauseOptions): Promise<void> {
  await change(io, id, options, async ({ whole, said, handle }) => {
    // A task does not tell who paused it before.
    const paused: Omit<Paused, "at"> = (await handle.pause(said)) ?? said;
    const help = isTopTask(whole) ? "Its agent continues, and its result is dropped." : "What is under way ends.";
    io.result({ workflow_id: whole, paused }, () =>
      [`${whole} is paused ${pausedText(paused)}. ${help}`, `To continue: navigator resume ${whole}`].join("\n"),
    );
  });
}

async function resume(io: CommandIo, id: string, options: PauseOptions): Promise<void> {
  await change(io, id, options, async ({ whole, said, handle }) => {
    await handle.resume(said);
    io.result({ workflow_id: whole, by: said.by }, () => `${whole} continues.`);
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
  return withSession(io, "read", async ({ client }) => {
    const whole = await namedMission(client, id);
    const said = { by: await actorOfShell(io, by), ...defined({ note }) };
    await work({ whole, said, handle: handleOf(client, whole) });
  });
}
