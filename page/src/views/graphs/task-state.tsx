const LOOKS: { readonly [status: string]: string } = {
  PENDING: "",
  IN_PROGRESS: "state-running",
  PAUSED: "state-waiting",
  HITL: "state-waiting",
  COMPLETED: "state-completed",
  FAILED: "state-failed",
};

/** The state of a task; that of its workflow, if somebody ended it from outside. */
export function TaskState({ status, execution = "running" }: { status: string; execution?: string }) {
  const isStopped = ["terminated", "cancelled", "timed_out"].includes(execution);
  return (
    <span class={`state ${isStopped ? "state-failed" : (LOOKS[status] ?? "")}`}>{isStopped ? execution : status}</span>
  );
}
