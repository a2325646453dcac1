import type { backgroundsOf } from "./record";

type Listed = ReturnType<typeof backgroundsOf>[number];

/** A background process of MCP sessions, for people: how it is, its worker and its log. */
export function backgroundText({
  folder,
  log,
  pid,
  state,
  step,
  worker,
  worker_pid,
  task_queue,
  error,
  ...more
}: Listed) {
  const problem = error === undefined ? "" : `\n  ${error.code}: ${error.message}`;
  if (!more.isLive)
    return `The background process of ${folder} failed; the next call of an MCP session starts it again. Log: ${log}${problem}`;
  const serves =
    worker === "own"
      ? `, worker ${worker_pid} serves "${task_queue}"`
      : worker === "other"
        ? `, another worker serves "${task_queue}"`
        : state === "ready"
          ? ", without a worker: the server is not the project's own (navigator mcp --worker starts one there)"
          : "";
  const now = state === "ready" ? "" : ` (${state}: ${step})`;
  return `The background process of ${folder} runs (pid ${pid})${now}${serves}. Log: ${log}${problem}`;
}
