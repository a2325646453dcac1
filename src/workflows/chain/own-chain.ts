import { upsertSearchAttributes } from "@temporalio/workflow";
import type { AgentEnd } from "../../core/agent/run/host";
import { defined } from "../../core/base/defined";
import { LEDGER_MEMO } from "../../core/effects/chain/head";
import type { ChainState, ContinuedChain } from "../../core/effects/chain/link-chain";
import type { Review } from "../../core/review/review";
import { ledgerAttributes } from "../search-attributes";
import { PendingChanges } from "./pending-changes";
import { RunChain } from "./run-chain";

/**
 * The chain of a task or a plan, which has no journal (approvals reference, section 6): its reviews, the decisions on them,
 * and where the chains of its agents end. The links are written to the memo when it waits.
 */
export class OwnChain {
  private readonly changes = new PendingChanges();
  private readonly chain: RunChain;

  constructor(continued: ChainState | undefined, reviews: readonly Review[]) {
    this.chain = new RunChain((link) => this.changes.add(link), continued, reviews);
  }

  advanceClock(): void {
    this.chain.advanceClock();
  }

  reviews(all: readonly Review[]): void {
    this.chain.reviews(all);
  }

  /** Where it ends now, for an event that shows other attributes anyway. */
  attributes(): ReturnType<typeof ledgerAttributes> {
    return this.chain.attributes();
  }

  reset(): void {
    this.chain.reset();
  }

  branchBegins(workflowId: string): void {
    this.chain.branch(workflowId);
  }

  agentEnded(workflowId: string, { step }: AgentEnd): void {
    this.chain.advanceClock();
    if (step.ok && step.value.ledger) this.chain.child(workflowId, step.value.ledger);
  }

  /** For the run that continues as new: whatever was not written yet is written now. */
  continueState(): ContinuedChain {
    this.changes.write();
    return this.chain.continueState();
  }

  /**
   * Signs and shows the end of the task or plan.
   *
   * @param memo further fields of its memo
   */
  async close(memo: { [field: string]: unknown } = {}): Promise<void> {
    const ledger = await this.chain.signedEnd((call) => this.changes.duringLocalCall(call));
    this.changes.write({ ...defined({ [LEDGER_MEMO]: ledger }), ...memo });
    if (ledger === undefined) return;
    upsertSearchAttributes(ledgerAttributes(ledger));
  }
}
