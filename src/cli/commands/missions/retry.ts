import { type EndedMission, type RetriedMission, retryMission } from "../../../client/retry-mission";
import { TaskService } from "../../../client/tasks/task-service";
import type { EffectEntry } from "../../../core/effects/entry";
import { countedNames, toolNames, unknownCallLines } from "../../../core/history/trace/unknown-calls";
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
      ["--yes", "do not ask: accept the calls that nobody knows or, with --afresh, make again what it did"],
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
      ...{ by, note, afresh, requested_by, accept_unknown: true },
      confirm: options.yes ? undefined : (ended) => (afresh ? confirmAfresh(io, ended) : confirmUnknown(io, ended)),
      createTask: (task, drive, tried) => tasks.createTask(task, { drive, retry: tried }),
    });
    io.result({ ...retried, by, afresh }, () => retriedText(retried, afresh, io.color));
  });
}

/** Shows the calls of the mission before anything starts, if nobody knows the outcome of some. */
async function confirmUnknown(io: CommandIo, ended: EndedMission): Promise<void> {
  const unknown = ended.unknown();
  const lines = unknownCallLines(unknown, ended.id);
  if (lines.length === 0) return;
  const done = ended.done();
  const warning = [`${ended.id} ended in the middle of calls.`, doneLine(done), ...lines].join("\n");
  await confirm(io, `${warning}\nTry it again?`, {
    message: `${warning}\nNothing was started.`,
    hint: `Look these calls up in the services that the tools use: navigator effects ${shellWord(ended.id)}. To accept that they may be made again: --yes`,
    details: { workflow_id: ended.id, ...unknown, done: done.map(({ key, tool }) => ({ key, tool })) },
  });
}

const doneLine = (done: readonly Pick<EffectEntry, "tool">[]): string =>
  `Effects that it does not make again: ${countedNames(toolNames(done))}`;

/** Shows what would be done again before anything starts. */
function confirmAfresh(io: CommandIo, ended: EndedMission): Promise<void> {
  const effects = ended.done();
  const lines = unknownCallLines(ended.unknown(), ended.id);
  const warning = [afreshText(ended.id, effects), ...lines].join("\n");
  return confirm(io, `${warning}\nStart it afresh?`, {
    message: `${warning} Nothing was started.`,
    hint: "Add --yes to do it all again. To continue where it ended: the same without --afresh",
    details: { workflow_id: ended.id, effects: effects.map(({ key, tool }) => ({ key, tool })) },
  });
}

/** The new mission, and the work that it does not repeat. */
function retriedText({ workflow_id, started, of, taken_over }: RetriedMission, afresh: boolean, color: Colors) {
  const id = shellWord(workflow_id);
  const follow = `See: navigator log ${id}`;
  if (!started) return [`${workflow_id} runs already. Nothing was started.`, follow].join("\n");
  if (afresh) return [color.bold(`${workflow_id} does all of ${of} again.`), follow].join("\n");
  const { tasks, effects, left_out, under_way } = taken_over;
  const done = effects.filter(({ state }) => state === "done");
  const unknown = effects.filter(({ state }) => state === "unknown");
  return [
    color.bold(`${workflow_id} continues where ${of} ended.`),
    `Finished tasks that it takes over: ${countedNames(tasks)}`,
    doneLine(done),
    ...unknownCallLines({ effects: unknown, under_way }, of).map((line) => color.yellow(line)),
    ...(left_out.length === 0
      ? []
      : [`Tasks that run again, because their values are nowhere any more: ${countedNames(left_out)}`]),
    follow,
  ].join("\n");
}

/** What a mission that takes nothing over makes once more. */
function afreshText(of: string, done: readonly Pick<EffectEntry, "tool">[]): string {
  if (done.length === 0) return `${of} has made no effect that is known to be done; its input is used once more.`;
  return `This makes again what ${of} has done: ${countedNames(toolNames(done))}.`;
}
