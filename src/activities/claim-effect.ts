import { Context, log } from "@temporalio/activity";
import {
  WithStartWorkflowOperation,
  type WorkflowClient,
  WorkflowIdConflictPolicy,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { failed, ok, type Result } from "../core/base/failure";
import { effectIdOf } from "../core/base/ids";
import type { Json } from "../core/base/json";
import { thrownText } from "../core/base/navigator-error";
import type { CallToolInput, ClaimEffectInput, NavigatorActivities, UndoEffectInput } from "../core/calls/activities";
import type { ClaimedEffect, GuardAnswer, GuardClaim, GuardSettle } from "../core/effects/effect-guard";
import { guardOfKey, sharedKey } from "../core/effects/effect-key";
import type { EffectEntry } from "../core/effects/entry";
import { keptAnswer } from "../core/effects/entry";
import { projectEffects } from "../core/history/read/project-effects";
import { isRunning } from "./agent-end";
import { type HistoryClient, historyOf } from "./find-effects";

/** The part of a Temporal client that asks the guards of effects. A `Client` implements it. */
export interface GuardClient {
  workflow: Pick<WorkflowClient, "executeUpdateWithStart"> & {
    getHandle(workflowId: string): {
      signal(name: string, settle: GuardSettle): Promise<void>;
      describe(): Promise<{ status: { name: string } }>;
    };
  };
}

/**
 * Asks the guard of an effect whether this run may make it. While another run makes it, this throws a failure of type
 * `effect_held`, so that Temporal asks again. If that run has ended without a report, its history shows the outcome
 * (effects reference, section 10).
 */
export function askGuard(client: GuardClient & HistoryClient): NavigatorActivities["claimEffect"] {
  return async (input) => {
    const claimed = await sendClaim(client, input);
    if (!claimed.ok || claimed.value.state === "yours" || claimed.value.holder.state !== "claimed") return claimed;
    const { holder } = claimed.value;
    const found = await outcomeOf(client, input, holder);
    if (found === "running")
      throw ApplicationFailure.retryable(`${holder.workflow_id} makes the effect now.`, "effect_held");
    if (found === "unknown") return ok({ state: "held", holder: { ...holder, state: "unknown" } });
    await client.workflow.getHandle(input.guard).signal(SETTLE, found);
    return sendClaim(client, input);
  };
}

/** The messages of the guard; `src/workflows/messages.ts` defines them. */
const CLAIM = "claimEffect";
const SETTLE = "settleEffect";

async function sendClaim(client: GuardClient, { guard, claim }: ClaimEffectInput): Promise<Result<GuardAnswer>> {
  const startWorkflowOperation = new WithStartWorkflowOperation("effectGuard", {
    workflowId: guard,
    taskQueue: Context.current().info.taskQueue,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    staticSummary: `effect of ${claim.tool}`,
    args: [],
  });
  try {
    return ok(
      await client.workflow.executeUpdateWithStart<() => Promise<void>, GuardAnswer, [GuardClaim]>(CLAIM, {
        startWorkflowOperation,
        args: [claim],
      }),
    );
  } catch (error) {
    if (!(error instanceof WorkflowUpdateFailedError) || !(error.cause instanceof ApplicationFailure)) throw error;
    return failed("tool_error", `the effect could not be claimed: ${error.cause.message}`, {
      tool: claim.tool,
      code: error.cause.type ?? "tool_error",
    });
  }
}

/** After so many attempts the history of a running owner is read: a worker may have failed to notify the guard. */
const ATTEMPTS_BETWEEN = 10;

async function outcomeOf(
  client: GuardClient & HistoryClient,
  { guard, claim }: ClaimEffectInput,
  holder: ClaimedEffect,
): Promise<GuardSettle | "running" | "unknown"> {
  const goesOn = await isOpen(client, holder.workflow_id);
  if (goesOn && Context.current().info.attempt % ATTEMPTS_BETWEEN !== 0) return "running";
  const history = await historyOf(client, holder.workflow_id);
  if (history === null) return "unknown";
  const key = sharedKey(claim.deed, effectIdOf(guard) as string, holder.n);
  const entry = projectEffects(history).find((one) => one.key === key && one.held_by === undefined);
  const { n, deed, claims } = holder;
  // Its call was never made: each call is in the history before it is made.
  if (entry === undefined) return goesOn ? "running" : { n, deed, claims, state: "failed" };
  const state = STATES[entry.state];
  if (state === undefined) return goesOn ? "running" : "unknown";
  return { n, deed, claims, state, ...(state === "done" ? keptAnswer(entry.answer as Json) : {}) };
}

/** The states that a history proves. */
const STATES: { [state in EffectEntry["state"]]?: GuardSettle["state"] } = {
  done: "done",
  failed: "failed",
  refused: "failed",
};

async function isOpen(client: GuardClient, workflowId: string): Promise<boolean> {
  try {
    return isRunning(await client.workflow.getHandle(workflowId).describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/**
 * An activity that calls a tool, and then notifies the guard of a shared effect that it is done. If the guard cannot be
 * reached, the call is still done: the next run that asks finds it in the history of this run.
 */
export const reportingGuard =
  (client: GuardClient) =>
  <Rest extends unknown[]>(activity: (input: CallToolInput, ...rest: Rest) => Promise<Result<Json>>) =>
  async (input: CallToolInput, ...rest: Rest): Promise<Result<Json>> => {
    const answer = await activity(input, ...rest);
    const deed = input.effect?.deed;
    if (answer.ok && deed !== undefined)
      await notify(client, input.idempotency_key, { deed, state: "done", ...keptAnswer(answer.value) });
    return answer;
  };

/** The same for an activity that takes an effect back. */
export const reportingGuardOfUndo =
  (client: GuardClient) =>
  (activity: (input: UndoEffectInput) => Promise<Result<Json>>) =>
  async (input: UndoEffectInput): Promise<Result<Json>> => {
    const answer = await activity(input);
    if (answer.ok) await notify(client, input.call_key, { state: "undone" });
    return answer;
  };

async function notify(client: GuardClient, key: string, settle: Omit<GuardSettle, "n">): Promise<void> {
  const guard = guardOfKey(key);
  if (guard === undefined) return;
  try {
    await client.workflow.getHandle(guard.workflow_id).signal(SETTLE, { n: guard.n, ...settle });
  } catch (error) {
    log.warn("guard_not_told", { key, message: thrownText(error) });
  }
}
