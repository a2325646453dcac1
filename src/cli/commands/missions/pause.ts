import type { EndedBy } from "../../../client/run-control";
import { defined } from "../../../core/base/defined";
import { isTopTask } from "../../../core/base/ids";
import { type Paused, pausedText } from "../../../core/base/input/pause";
import { shellWord } from "../../../node/shell-word";
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
    notes: `Work under way ends and is kept. People may still decide: it acts after navigator resume. Its own time limits stand still.
A worker must be up: without one nothing is sent (no_worker).`,
    examples: ["navigator pause order-42 --note 'the bank is closed'"],
    run: pause,
  },
  resume: {
    options: [["--note <text>", "why; it stands in the history"], BY_OPTION],
    notes: "To list the paused missions: navigator list --status paused",
    examples: ["navigator resume order-42"],
    run: resume,
  },
};

async function pause(io: CommandIo, id: string, options: PauseOptions): Promise<void> {
  await change(io, id, options, async ({ whole, given, handle }) => {
    // A task does not return who paused it before.
    const paused: Omit<Paused, "at"> = (await handle.pause(given)) ?? given;
    const help = isTopTask(whole) ? "Its agent continues, and its result is dropped." : "Work under way ends.";
    io.result({ workflow_id: whole, paused }, () =>
      [`${whole} is paused ${pausedText(paused)}. ${help}`, `To continue: navigator resume ${shellWord(whole)}`].join(
        "\n",
      ),
    );
  });
}

async function resume(io: CommandIo, id: string, options: PauseOptions): Promise<void> {
  await change(io, id, options, async ({ whole, given, handle }) => {
    await handle.resume(given);
    io.result({ workflow_id: whole, by: given.by }, () => `${whole} continues.`);
  });
}

interface Named {
  whole: string;
  given: EndedBy;
  handle: ReturnType<typeof handleOf>;
}

/** Finds the mission that the command names, and the person who runs the command. */
function change(
  io: CommandIo,
  id: string,
  { note, by }: PauseOptions,
  work: (named: Named) => Promise<void>,
): Promise<void> {
  return withSession(io, "read", async ({ client }) => {
    const whole = await namedMission(client, id);
    const given = { by: await actorOfShell(io, by), ...defined({ note }) };
    await work({ whole, given, handle: handleOf(client, whole) });
  });
}
