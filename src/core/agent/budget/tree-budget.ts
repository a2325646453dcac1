import { type Failure, failed, ok, type Result } from "../../base/failure";
import { isBelow } from "../../base/ids";
import { isObject } from "../../base/is-object";
import type { Amount } from "../../calls/host";
import { type ReviewRequest, reviewRequest } from "../../review/kinds";
import { TOP_UP } from "../../review/kinds/budget";
import type { FinalDecision } from "../../review/request";
import type { Budget } from "../definition/agent-input";
import { roundCost } from "./round-cost";

/** The budget of a tree of runs as plain data: its limit, what is spent, and whether it is closed. */
export interface TreeBudgetState {
  limit: { tokens: number | null; cost: number | null };
  spent: Amount;
  /** Somebody refused a top-up. */
  closed: boolean;
}

interface Waiter {
  holder: string;
  bound: Amount;
  go(result: Result<void>): void;
}

const NOTHING: Amount = { tokens: 0, cost: 0 };

/**
 * The budget of a whole tree of agents. A call is made only after its maximum has been reserved, so that parallel calls
 * cannot overdraw the budget together. Its real usage is counted afterwards. A call that needs more than is left waits
 * until people top up the budget.
 */
export class TreeBudget {
  private readonly limit: TreeBudgetState["limit"];
  private spent: Amount;
  private closed: boolean;
  private readonly bounds = new Map<string, Amount>();
  private readonly waiting: Waiter[] = [];
  private asking = false;

  constructor(
    private readonly budget: Budget,
    private readonly ask: (request: ReviewRequest) => Promise<Result<FinalDecision>>,
    state?: TreeBudgetState,
  ) {
    this.limit = state ? { ...state.limit } : { tokens: budget.tokens ?? null, cost: budget.cost ?? null };
    this.spent = state?.spent ?? NOTHING;
    this.closed = state?.closed ?? false;
  }

  /**
   * Reserves the maximum of a call; waits while less is left.
   *
   * @param holder names the call: its run's id, and a number
   */
  reserve(holder: string, bound: Amount): Promise<Result<void>> {
    return new Promise((go) => {
      this.waiting.push({ holder, bound, go });
      this.serve();
    });
  }

  /** Counts the usage of a call; null = unknown: then the whole reservation counts. */
  settle(holder: string, used: Partial<Amount> | null): void {
    const bound = this.bounds.get(holder);
    if (bound === undefined) return;
    this.bounds.delete(holder);
    this.spent = {
      tokens: this.spent.tokens + (used === null ? bound.tokens : (used.tokens ?? bound.tokens)),
      cost: roundCost(this.spent.cost + (used === null ? bound.cost : (used.cost ?? bound.cost))),
    };
    this.serve();
  }

  /** A run has ended, with or without its calls. */
  abandon(run: string): void {
    for (const holder of [...this.bounds.keys()]) if (isBelow(holder, run)) this.settle(holder, null);
    const gone = this.waiting.filter(({ holder }) => isBelow(holder, run));
    for (const waiter of gone) this.waiting.splice(this.waiting.indexOf(waiter), 1);
  }

  state(): TreeBudgetState {
    return { limit: this.limit, spent: this.spent, closed: this.closed };
  }

  /** The most that the calls under way may take. */
  reserved(): Amount {
    const { tokens, cost } = [...this.bounds.values()].reduce(sum, NOTHING);
    return { tokens, cost: roundCost(cost) };
  }

  /** In the order of requests: a small request does not overtake a large one. */
  private serve(): void {
    for (;;) {
      const first = this.waiting[0];
      if (first === undefined) return;
      if (this.closed) this.answer(first, { ok: false, fail: this.exceeded(first.bound) });
      else if (this.fits(first.bound)) {
        this.bounds.set(first.holder, first.bound);
        this.answer(first, ok(undefined));
      } else if (this.bounds.size > 0)
        return; // the returned amount may be enough
      else if (this.budget.when_spent === "end") this.answer(first, { ok: false, fail: this.exceeded(first.bound) });
      else return void this.askForMore(first.bound);
    }
  }

  private answer(waiter: Waiter, result: Result<void>): void {
    this.waiting.splice(this.waiting.indexOf(waiter), 1);
    waiter.go(result);
  }

  private fits(bound: Amount): boolean {
    const needed = sum(sum(this.spent, this.reserved()), bound);
    const { tokens, cost } = this.limit;
    return (tokens === null || needed.tokens <= tokens) && (cost === null || roundCost(needed.cost) <= cost);
  }

  private async askForMore(bound: Amount): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    const { spent, limit } = this;
    const shown = (amount: Amount) => amountText(amount, limit);
    const decision = await this.ask(reviewRequest("budget", { spent, limit, next_call: bound, shown }));
    this.asking = false;
    if (!decision.ok) {
      const first = this.waiting[0];
      if (first) this.answer(first, decision);
    } else if (decision.value.choice === TOP_UP) this.topUp(decision.value.value);
    else this.closed = true;
    this.serve();
  }

  private topUp(value: unknown): void {
    if (!isObject(value)) return;
    const { limit } = this;
    if (typeof value.tokens === "number" && limit.tokens !== null) limit.tokens += Math.max(0, value.tokens);
    if (typeof value.cost === "number" && limit.cost !== null)
      limit.cost = roundCost(limit.cost + Math.max(0, value.cost));
  }

  private exceeded(bound: Amount): Failure {
    const { limit, spent } = this;
    return failed(
      "budget_callback_exceeded",
      `The budget does not allow another call: ${amountText(spent, limit)} spent, the call may take ${amountText(bound, limit)}.`,
      { spent: { ...spent }, limit: { ...limit }, next_call: { ...bound } },
    ).fail;
  }
}

const sum = (a: Amount, b: Amount): Amount => ({ tokens: a.tokens + b.tokens, cost: a.cost + b.cost });

/** Only limited amounts: `900 of 1000 tokens, 0.02 of 0.05 dollars`. */
export function amountText(amount: Amount, limit: TreeBudgetState["limit"]): string {
  const parts = [
    ...(limit.tokens === null ? [] : [`${amount.tokens} of ${limit.tokens} tokens`]),
    ...(limit.cost === null ? [] : [`${roundCost(amount.cost)} of ${limit.cost} dollars`]),
  ];
  return parts.join(", ");
}
