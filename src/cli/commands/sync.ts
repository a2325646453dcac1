import type { Command } from "commander";
import { NavigatorError } from "../../core/base/navigator-error";
import { wholeNumber } from "../input/number-argument";
import { withTaskService } from "../session/queue-session";
import type { CommandIo } from "../terminal/io";
import { renderTable, renderTime } from "../terminal/render";

/** `navigator sync`: moves of tasks that the orchestrator's own store has not confirmed yet. */
export function registerSync(program: Command, io: CommandIo): void {
  const sync = program.command("sync").description("task moves that your own store has not confirmed yet");

  sync
    .command("list")
    .description("list the unconfirmed moves, oldest first")
    .option("--limit <number>", "maximum number")
    .addHelpText("after", "\nExample:\n  $ navigator sync list")
    .action((options: { limit?: string }) => {
      const limit = wholeNumber("--limit", options.limit, 1);
      return withTaskService(
        io,
        async (taskService) => {
          const { total, pending } = await taskService.pendingSyncs(limit);
          const rows = pending.map(({ id, kind, previousStep, nextStep, status, createdAt }) => [
            id,
            kind,
            `${previousStep} -> ${nextStep ?? "(stays)"}`,
            status,
            renderTime(createdAt),
          ]);
          io.result({ total, pending }, () =>
            total === 0
              ? "Everything is confirmed."
              : [
                  renderTable(rows, ["SYNC", "MOVE", "FROM, TO", "STATUS", "AT (UTC)"]),
                  ...(total > pending.length ? [`... ${total - pending.length} more`] : []),
                  "",
                  "When your store has them:  navigator sync confirm SYNC...",
                ].join("\n"),
          );
          return undefined;
        },
        { of: MANY },
      );
    });

  sync
    .command("confirm [ids...]")
    .description("confirm that your store has these moves; safe to repeat")
    .option("--task <id>", "all moves of this task")
    .option("--all", "all moves of all tasks, for example where no other store has your tasks")
    .addHelpText("after", "\nExample:\n  $ navigator sync confirm --task bug-7")
    .action((ids: string[], { task, all = false }: { task?: string; all?: boolean }) => {
      if ([ids.length > 0, task !== undefined, all].filter(Boolean).length !== 1)
        throw new NavigatorError("bad_usage", "Name the syncs or a task with --task ID, not both, or give --all.", {
          hint: "See them: navigator sync list",
          details: { path: "--task" },
        });
      return withTaskService(
        io,
        async (taskService) => {
          const named = all ? (await taskService.pendingSyncs()).pending.map(({ id }) => id) : ids;
          const answer =
            task === undefined ? await taskService.confirmSyncs(named) : await taskService.confirmSyncsOfTask(task);
          const notFound = "notFound" in answer ? answer.notFound : [];
          io.result(answer, () =>
            [
              `Confirmed ${answer.confirmed.length}, ${answer.remaining} left.`,
              ...notFound.map((id) => `Not pending: ${id}`),
            ].join("\n"),
          );
          return undefined;
        },
        { of: Math.max(ids.length, MANY) },
      );
    });
}

/** Asks each task that has something to confirm; their number is not known before. */
const MANY = 200;
