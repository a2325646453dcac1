import { type WorkflowHandle, WorkflowNotFoundError } from "@temporalio/client";

/** Signals to one workflow, 50 at a time. When it returns, or throws, none of them is on its way any more. */
export async function flood(
  handle: Pick<WorkflowHandle, "signal">,
  count: number,
  { signal = "recordDecision", what = { id: "", value: 1, by: "flood" } }: { signal?: string; what?: object } = {},
): Promise<void> {
  for (let sent = 0; sent < count; sent += 50) {
    const answers = await Promise.allSettled(Array.from({ length: 50 }, () => handle.signal(signal, what)));
    const refused = answers.find(({ status }) => status === "rejected");
    if (refused !== undefined) throw (refused as PromiseRejectedResult).reason;
  }
}

/** For a flood in which the workflow ends: the server takes no signal after that. */
export function untilItsEnd(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}
