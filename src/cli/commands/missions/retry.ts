import { type EndedMission, retryMission } from "../../../client/retry-mission";
import { TaskService } from "../../../client/tasks/task-service";
import { defined } from "../../../core/base/defined";
import type { EffectEntry } from "../../../core/effects/entry";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import { requester } from "../../session/signing";
import * as show from "../../show/missions/retried";
import type { TopCommands } from "../../terminal/command";
import { confirm } from "../../terminal/confirm";
import type { CommandIo } from "../../terminal/io";
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
      ["--afresh", "take nothing over: what it did is done again, and paid again"],
      ["--yes", "with --afresh: do not ask"],
    ],
    notes: `The new mission has an id of its own, as in order-42-again-2, and the same input. It takes over the records of the one that ended, or the results of a plan's tasks, and its effects. While a retry runs, no second one starts.`,
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
      confirm: afresh && !options.yes ? (ended) => confirmAfresh(io, ended, show.afreshText) : undefined,
      createTask: (task, drive, tried) => tasks.createTask(task, { drive, retry: tried, ...defined({ requested_by }) }),
    });
    io.result({ ...retried, by, afresh }, () => show.retriedText(retried, afresh, io.color));
  });
}

/** What is done again is said before anything is started. */
function confirmAfresh(
  io: CommandIo,
  ended: EndedMission,
  textOf: (of: string, done: readonly EffectEntry[]) => string,
): Promise<void> {
  const effects = ended.done();
  const warning = textOf(ended.id, effects);
  return confirm(io, `${warning}\nStart it afresh?`, {
    message: `${warning} Nothing was started.`,
    hint: "Add --yes to do it all again. To go on where it ended: the same without --afresh",
    details: { workflow_id: ended.id, effects: effects.map(({ key, tool }) => ({ key, tool })) },
  });
}
