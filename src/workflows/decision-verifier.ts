import { condition } from "@temporalio/workflow";
import type { Decision } from "../core/review/decision-input";
import { type AskedAt, momentOfReview } from "../core/review/policy/signing-time";
import type { Review } from "../core/review/review";
import type { Verification } from "../core/review/verification";
import { verifyCalls } from "./activity-calls";

/**
 * Asks the worker who decided. Decisions that come together are one call, and calls follow each other: many people may
 * decide at once, and a run should not have many local activities under way.
 */
export class DecisionVerifier {
  private next: { decisions: Decision[]; asked: (AskedAt | null)[]; found: Promise<Verification[]> } | null = null;
  private last: Promise<unknown> = Promise.resolve();
  private asked = 0;

  /** @param isInLocalCall whether a local activity of a program is under way */
  constructor(private readonly isInLocalCall: () => boolean = () => false) {}

  /** Whether the workflow still verifies a decision. */
  get isBusy(): boolean {
    return this.asked > 0;
  }

  /** @param review the question that it answers, if it is known here */
  async verify(decision: Decision, review?: Review): Promise<Verification> {
    this.next ??= this.begin();
    const { decisions, asked, found } = this.next;
    const place = decisions.push(decision) - 1;
    asked.push(review === undefined ? null : momentOfReview(review));
    this.asked += 1;
    try {
      return (await found)[place] as Verification;
    } finally {
      this.asked -= 1;
    }
  }

  private begin() {
    const decisions: Decision[] = [];
    const asked: (AskedAt | null)[] = [];
    const call = () => {
      this.next = null;
      return verifyCalls().verifyDecisions(decisions, { now: Date.now(), asked });
    };
    // The local activities of a program and those that verify decisions take turns. Temporal resolves local activities in the
    // order in which they end, and on a replay in the order in which they began: what follows two that run at once would change
    // places.
    const found = this.last.then(() =>
      this.isInLocalCall() ? condition(() => !this.isInLocalCall()).then(call) : call(),
    );
    // The caller that waits for `found` receives its failure.
    this.last = found.catch(() => undefined);
    return { decisions, asked, found };
  }
}

/** Marks a decision that came as a signal, unless its signature covers `via`. */
export const bySignal = <D extends Pick<Decision, "via" | "signature">>(decision: D): D =>
  decision.signature === undefined ? { via: "signal", ...decision } : decision;
