import type { Command } from "commander";
import type { EndedMission } from "../../../client/retry-mission";
import { defined } from "../../../core/base/defined";
import type { EffectEntry } from "../../../core/effects/entry";
import { actorOfShell, BY_OPTION } from "../../session/actor";
import { withSession } from "../../session/session";
import { requester } from "../../session/signing";
import { confirm } from "../../terminal/confirm";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import { namedMission } from "./end";

interface RetryCommand {
  note?: string;
  by?: string;
  afresh?: boolean;
  yes?: boolean;
}

/** `navigator retry`. */
export function registerRetry(program: Command, io: CommandIo): void {
  program
    .command("retry <id>")
    .description("try a mission, task or plan again that has ended: what it has done is not done a second time")
    .option("--note <text>", "why; it stands in the history")
    .option(...BY_OPTION)
    .option("--afresh", "take nothing over: what it did is done again, and paid again")
    .option("--yes", "with --afresh: do not ask")
    .addHelpText(
      "after",
      "\nThe new mission has an id of its own, as in order-42-again-2, and the same input. It takes over the records of the one that ended, or the results of a plan's tasks, and its effects. While a retry runs, no second one starts.\n\nExample:\n  $ navigator retry order-42 --note 'the shop is open again'",
    )
    .action((id: string, options: RetryCommand) => retry(io, id, options));
}

function retry(io: CommandIo, id: string, options: RetryCommand): Promise<void> {
  return withSession(io, false, async ({ client }) => {
    const [{ retryMission }, { TaskService }, show] = await Promise.all([
      import("../../../client/retry-mission"),
      import("../../../client/tasks/task-service"),
      import("../../show/missions/retried"),
    ]);
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
    return EXIT.done;
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
