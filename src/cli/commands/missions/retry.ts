import { type EndedMission, type RetriedMission, retryMission } from "../../../client/retry-mission";
import { TaskService } from "../../../client/tasks/task-service";
import { defined } from "../../../core/base/defined";
import type { EffectEntry } from "../../../core/effects/entry";
import { shellWord } from "../../../node/shell-word";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import { requester } from "../../session/signing";
import type { TopCommands } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import type { CommandIo } from "../../terminal/io";
import type { Colors } from "../../terminal/render";
import { namedMission } from "./end";

interface RetryCommand {
  note?: string;
  by?: string;
  afresh?: boolean;
  yes?: boolean;
}

/** `navigator retry`. */
export const retryCommands: TopCommands = {
  retry: {
    options: [
      ["--note <text>", "why; it stands in the history"],
      BY_OPTION,
      ["--afresh", "take nothing over: all its work is done again, and paid again"],
      ["--yes", "with --afresh: do not ask"],
    ],
    notes: `The new mission has a new id, as in order-42-again-2, and the same input. It takes over the records of the one that ended, or the results of a plan's tasks, and its effects. While a retry runs, no second one starts.`,
    examples: ["navigator retry order-42 --note 'the shop is open again'"],
    run: retry,
  },
};

function retry(io: CommandIo, id: string, options: RetryCommand): Promise<void> {
  return withSession(io, "read", async ({ client }) => {
    const whole = await namedMission(client, id);
    const { note, afresh = false } = options;
    const by = await actorOfShell(io, options.by);
    const requested_by = await requester(io);
    const tasks = new TaskService(client);
    const retried = await retryMission(client, whole, {
      ...{ by, note, afresh, requested_by },
      confirm: afresh && !options.yes ? (ended) => confirmAfresh(io, ended) : undefined,
      createTask: (task, drive, tried) => tasks.createTask(task, { drive, retry: tried, ...defined({ requested_by }) }),
    });
    io.result({ ...retried, by, afresh }, () => retriedText(retried, afresh, io.color));
  });
}

/** Shows what would be done again before anything starts. */
function confirmAfresh(io: CommandIo, ended: EndedMission): Promise<void> {
  const effects = ended.done();
  const warning = afreshText(ended.id, effects);
  return confirm(io, `${warning}\nStart it afresh?`, {
    message: `${warning} Nothing was started.`,
    hint: "Add --yes to do it all again. To continue where it ended: the same without --afresh",
    details: { workflow_id: ended.id, effects: effects.map(({ key, tool }) => ({ key, tool })) },
  });
}

/** Names of tasks and tools that are listed; the others are counted. */
const MAX_NAMES = 10;

/** The new mission, and the work that it does not repeat. */
function retriedText({ workflow_id, started, of, taken_over }: RetriedMission, afresh: boolean, color: Colors) {
  const id = shellWord(workflow_id);
  const follow = `See: navigator log ${id}`;
  if (!started) return [`${workflow_id} runs already. Nothing was started.`, follow].join("\n");
  if (afresh) return [color.bold(`${workflow_id} does all of ${of} again.`), follow].join("\n");
  const { tasks, effects, left_out } = taken_over;
  const done = effects.filter(({ state }) => state === "done");
  const unknown = effects.filter(({ state }) => state === "unknown");
  return [
    color.bold(`${workflow_id} continues where ${of} ended.`),
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
function afreshText(of: string, done: readonly Pick<EffectEntry, "tool">[]): string {
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
