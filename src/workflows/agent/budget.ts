import { condition, getExternalWorkflowHandle, setHandler, workflowInfo } from "@temporalio/workflow";
import type { TreeBudget } from "../../core/agent/budget/tree-budget";
import { failed, ok, type Result } from "../../core/base/failure";
import { budgetHolder } from "../../core/base/ids";
import { checkChildId } from "../../core/base/input/id-rule";
import { isObject } from "../../core/base/is-object";
import type { Amount } from "../../core/calls/host";
import * as messages from "../messages";

/** The budget for a run's model calls: its own, or that of the run at the root of the tree. */
export interface Payer {
  /** Workflow id of the run that owns the budget. */
  root: string;
  reserve(bound: Amount): Promise<Result<string>>;
  /** Returns when the amount is counted. A run that ends earlier would be charged the maximum. */
  settle(held: string, used: Partial<Amount>): Promise<void>;
  /** An agent that ran as a tool is over, whatever happened to its calls. */
  childEnded(workflowId: string): void;
}

/** This run owns the budget. Other runs of the tree request amounts with a signal and get the answer with a signal. */
export function ownTreeBudget(budget: TreeBudget, refused: () => void): Payer {
  const { workflowId } = workflowInfo();
  let calls = 0;
  setHandler(messages.reserveBudget, async (raw) => {
    if (!isReservation(raw)) return refused();
    const { from, held, bound } = raw;
    const result = await budget.reserve(held, bound);
    // A run that has ended in the meantime needs no answer.
    await getExternalWorkflowHandle(from)
      .signal(messages.budgetAnswer, { held, fail: result.ok ? null : result.fail })
      .catch(() => budget.settle(held, {}));
  });
  setHandler(messages.settleBudget, (raw) => (isSettlement(raw) ? budget.settle(raw.held, raw.used) : refused()));
  return {
    root: workflowId,
    reserve: async (bound) => {
      calls += 1;
      const held = budgetHolder(workflowId, calls);
      const result = await budget.reserve(held, bound);
      return result.ok ? ok(held) : result;
    },
    settle: async (held, used) => budget.settle(held, used),
    childEnded: (id) => budget.abandon(id),
  };
}

/** The run at the root of the tree owns the budget. */
export function sharedTreeBudget(root: string, refused: () => void): Payer {
  const { workflowId } = workflowInfo();
  const answers = new Map<string, messages.BudgetAnswer>();
  let calls = 0;
  const asked = new Set<string>();
  setHandler(messages.budgetAnswer, (raw) => {
    if (!isAnswer(raw) || !asked.has(raw.held)) return refused();
    answers.set(raw.held, raw);
  });
  const holder = getExternalWorkflowHandle(root);
  return {
    root,
    reserve: async (bound) => {
      calls += 1;
      const held = budgetHolder(workflowId, calls);
      asked.add(held);
      try {
        await holder.signal(messages.reserveBudget, { from: workflowId, held, bound });
      } catch {
        return failed("budget_callback_exceeded", "The run that has the budget is over.");
      }
      await condition(() => answers.has(held));
      const { fail } = answers.get(held) as messages.BudgetAnswer;
      answers.delete(held);
      asked.delete(held);
      return fail === null ? ok(held) : { ok: false, fail };
    },
    settle: async (held, used) => {
      // If the root has ended there is nothing left to count.
      await holder.signal(messages.settleBudget, { held, used }).catch(() => {});
    },
    // The root takes care of its calls.
    childEnded: () => {},
  };
}

/** Signals come from anywhere, and may be anything. The answer goes to `from`: an impossible id would fail the workflow task. */
function isReservation(raw: unknown): raw is { from: string; held: string; bound: Amount } {
  if (!isObject(raw) || typeof raw.held !== "string" || !isAmount(raw.bound)) return false;
  return typeof raw.from === "string" && raw.from !== "" && checkChildId(raw.from).ok;
}

const isSettlement = (raw: unknown): raw is { held: string; used: Partial<Amount> } =>
  isObject(raw) && typeof raw.held === "string" && isAmount(raw.used);

function isAnswer(raw: unknown): raw is messages.BudgetAnswer {
  if (!isObject(raw) || typeof raw.held !== "string") return false;
  const { fail } = raw;
  return fail === null || (isObject(fail) && typeof fail.reason === "string" && typeof fail.message === "string");
}

/** JSON writes null for a number that is not finite. */
const isAmount = (raw: unknown): raw is Amount =>
  isObject(raw) && [raw.tokens, raw.cost].every((part) => part == null || (typeof part === "number" && part >= 0));
