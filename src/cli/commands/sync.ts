import { wholeNumber } from "../input/arguments";
import { withTaskService } from "../session/queue-session";
import type { TopCommands } from "../terminal/command";
import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { renderTable, renderTime } from "../terminal/render";

/** `navigator sync`: moves of tasks that the orchestrator's own store has not confirmed yet. */
export const syncCommands: TopCommands = {
  sync: {
    commands: [
      {
        name: "list",
        about: "list the unconfirmed moves, oldest first",
        options: [["--limit <number>", "maximum number"]],
        examples: ["navigator sync list"],
        run: (io: CommandIo, options: { limit?: string }) => {
          const limit = wholeNumber("--limit", options.limit, 1);
          return withTaskService(io, { of: MANY }, async (taskService) => {
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
          });
        },
      },
      {
        name: "confirm [ids...]",
        about: "confirm that your store has these moves; safe to repeat",
        options: [
          ["--task <id>", "all moves of this task"],
          ["--all", "all moves of all tasks, for example where no other store has your tasks"],
        ],
        examples: ["navigator sync confirm --task bug-7"],
        run: (io: CommandIo, ids: string[], { task, all = false }: { task?: string; all?: boolean }) => {
          if ([ids.length > 0, task !== undefined, all].filter(Boolean).length !== 1)
            throw badUsage(
              "--task",
              "Name the syncs or a task with --task ID, not both, or give --all.",
              "See them: navigator sync list",
            );
          return withTaskService(io, { of: Math.max(ids.length, MANY) }, async (taskService) => {
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
          });
        },
      },
    ],
  },
};

/** Asks each task that has something to confirm; their number is not known before. */
const MANY = 200;
