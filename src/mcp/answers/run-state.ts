import type { NavigatorClient } from "../../client/client";
import { ask } from "../../client/errors";
import type { Step } from "../../core/agent/run/step";
import type { Json } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { type WaitingFor, waiting } from "../asking/elicitation";
import { asked } from "./missing-workflow";

/** How a mission stands. */
export interface RunState {
  status: "running" | "waiting" | "completed" | "failed";
  step?: Step;
  /** What a mission that waits has said. */
  waiting?: Json;
  /** What people are asked. */
  reviews?: WaitingFor[];
}

/** @throws NavigatorError `run_not_found` */
export async function runState(client: NavigatorClient, workflowId: string): Promise<RunState> {
  const handle = client.agent(workflowId);
  const { status } = await asked(workflowId, () => ask(() => handle.workflow.describe()));
  if (status.name !== "RUNNING") return ended(() => handle.result());
  try {
    const { state, waiting: said } = await handle.status();
    if (state === "completed" || state === "failed") return ended(() => handle.result());
    if (state === "running") return { status: "running" };
    const open = (await handle.reviews()).filter((review) => review.status === "open");
    return {
      status: "waiting",
      ...(said === undefined ? {} : { waiting: said }),
      ...(open.length === 0 ? {} : { reviews: open.map((review) => waiting(review, "not_asked")) }),
    };
  } catch (error) {
    // Whether it runs the server knows; how far it is, only a worker.
    if (error instanceof NavigatorError && error.code === "no_worker") return { status: "running" };
    throw error;
  }
}

async function ended(result: () => Promise<Step>): Promise<RunState> {
  try {
    const step = await result();
    return { status: step.fail === null ? "completed" : "failed", step };
  } catch (error) {
    // Cancelled or terminated from outside: it has no Step.
    if (!(error instanceof NavigatorError) || error.exitCode !== 1) throw error;
    const fail = { reason: error.code, message: error.message };
    return { status: "failed", step: { return: null, fail } as Step };
  }
}
