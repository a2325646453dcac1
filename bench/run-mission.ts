import { randomUUID } from "node:crypto";
import type { Client, WorkflowHandle } from "@temporalio/client";
import { NavigatorClient } from "../src/client/client";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../src/core/base/limits";
import type { Sample } from "./measure";
import type { BenchMission } from "./missions";
import type { HandWritten } from "./workflows/hand-written";

/** Starts one mission and gives its handle; its end is `handle.result()`. */
export type Start = (mission: BenchMission) => Promise<WorkflowHandle>;

export function navigatorStart(client: Client, taskQueue: string): Start {
  const navigator = new NavigatorClient(client, taskQueue);
  return async ({ agent }) => (await navigator.startAgent({ agent, model: "scripted" })).workflow;
}

export interface ByHandOptions extends Partial<Pick<HandWritten, "local" | "tuned">> {
  workflow?: "handWrittenAgent" | "handWrittenApproval" | "handWrittenParked";
}

export function byHandStart(client: Client, taskQueue: string, options: ByHandOptions = {}): Start {
  const { workflow = "handWrittenAgent", ...settings } = options;
  return ({ byHand }) =>
    client.workflow.start(workflow, {
      workflowId: `by-hand/${randomUUID()}`,
      taskQueue,
      args: [{ ...byHand, ...settings }],
      ...(settings.tuned === false ? {} : { workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS }),
    });
}

/** From the client's start to its result, with what the server keeps of it. */
export async function timed(start: Start, mission: BenchMission): Promise<Sample> {
  const before = performance.now();
  const handle = await start(mission);
  const result = await handle.result();
  const ms = performance.now() - before;
  refuseFailure(mission, result);
  return { ms, ...(await historySize(handle)) };
}

async function historySize(handle: WorkflowHandle): Promise<Omit<Sample, "ms">> {
  const { workflowExecutionInfo: info } = (await handle.describe()).raw;
  return { events: Number(info?.historyLength), bytes: Number(info?.historySizeBytes) };
}

/** A mission that failed quickly would look good in a table. */
export function refuseFailure({ name }: BenchMission, result: unknown): void {
  const fail = (result as { fail?: { message: string } | null } | null)?.fail;
  if (fail) throw new Error(`Mission ${name} failed: ${fail.message}`);
}
