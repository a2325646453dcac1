import { missionEnd } from "../../client/history";
import { shellWord } from "../../node/shell-word";
import { failureLines } from "../show/render-missions";
import type { CommandIo } from "../terminal/io";

/** Who does the work of a mission that was started without waiting for it, or how it ended if it was started before. */
export async function tellDetached(
  io: CommandIo,
  { id, workflow }: { id: string; workflow: Parameters<typeof missionEnd>[0] },
  config: string | undefined,
): Promise<void> {
  const end = await missionEnd(workflow);
  if (end !== null) {
    const said = failureLines(workflow.workflowId, end, io.color);
    for (const line of [
      ...(said.length === 0 ? ["It has ended."] : []),
      `See what it did: navigator log ${shellWord(id)}`,
      ...said,
    ])
      io.err(line);
    return;
  }
  const project = config === undefined ? "" : ` --config ${shellWord(config)}`;
  io.err(`A worker does the work. If none runs: navigator worker${project}`);
  io.err(`See how it goes: navigator log ${shellWord(id)}`);
}
