import type { RetriedMission } from "../../../client/retry-mission";
import type { EffectEntry } from "../../../core/effects/entry";
import { shellWord } from "../../../node/shell-word";
import type { Colors } from "../../terminal/render";

/** Names of tasks and tools that are listed; the others are counted. */
const MAX_NAMES = 10;

/** The new mission, and what it does not do again. */
export function retriedText({ workflow_id, started, of, taken_over }: RetriedMission, afresh: boolean, color: Colors) {
  const id = shellWord(workflow_id);
  const follow = `See: navigator log ${id}`;
  if (!started) return [`${workflow_id} runs already. Nothing was started.`, follow].join("\n");
  if (afresh) return [color.bold(`${workflow_id} does all of ${of} again.`), follow].join("\n");
  const { tasks, effects, left_out } = taken_over;
  const done = effects.filter(({ state }) => state === "done");
  const unknown = effects.filter(({ state }) => state === "unknown");
  return [
    color.bold(`${workflow_id} goes on where ${of} ended.`),
    `Finished tasks that it takes over: ${counted(tasks)}`,
    `Effects that it does not make again: ${counted(toolsOf(done))}`,
    ...(unknown.length === 0
      ? []
      : [
          color.yellow(
            `Effects whose outcome nobody knows: ${counted(toolsOf(unknown))}. It asks their tools, or a person, before it makes them.`,
          ),
        ]),
    ...(left_out.length === 0
      ? []
      : [`Tasks that run again, because their values are nowhere any more: ${counted(left_out)}`]),
    follow,
  ].join("\n");
}

/** What a mission that takes nothing over makes once more. */
export function afreshText(of: string, done: readonly Pick<EffectEntry, "tool">[]): string {
  if (done.length === 0) return `${of} has made no effect that is known to be done; its input is used once more.`;
  return `This makes again what ${of} has done: ${counted(toolsOf(done))}.`;
}

/** `charge (2 times)` */
function toolsOf(effects: readonly Pick<EffectEntry, "tool">[]): string[] {
  const counts = new Map<string, number>();
  for (const { tool } of effects) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} (${count} times)`));
}

function counted(names: readonly string[]): string {
  if (names.length === 0) return "none";
  const more = names.length - MAX_NAMES;
  return `${names.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
