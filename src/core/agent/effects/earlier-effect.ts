import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { OnSameEffect } from "../../effects/effect-settings";
import type { LedgerEntry } from "../../effects/entry";
import { policyForEqual, policyForSame } from "../../effects/policies";
import { reviewRequest } from "../../review/kinds";
import { DO_AGAIN, USE_EARLIER } from "../../review/kinds/same-effect";
import { type EffectCallState, shownEffect } from "./effect-call-state";
import type { LostOutcome } from "./lost-outcome";

/** The entry of a call that shall be made, or the answer of one that is not made. */
export type Matched = { entry: LedgerEntry } | { answer: Result<Json> };

/** The policy of the tool, or the choice of the person that it asks. */
export interface SameEffectChoice {
  policy: Exclude<OnSameEffect, "ask">;
  by?: string | undefined;
}

/**
 * A call whose effect was made before (effects reference, section 5): the policy of the tool, or a person, chooses between
 * the earlier answer, another effect and a refusal.
 */
export class EarlierEffect {
  constructor(
    private readonly state: EffectCallState,
    private readonly lost: LostOutcome,
  ) {}

  /** The effect was made in work that did not succeed. */
  async afterSame(entry: LedgerEntry): Promise<Matched> {
    const chosen = await this.choose(policyForSame(this.state.spec, entry.contested), entry);
    if (!chosen.ok) return { answer: chosen };
    const { policy, by } = chosen.value;
    if (policy === "run") return this.another(entry, by);
    if (policy === "reuse") return { answer: this.reuse(entry, by) };
    // The caller of this agent gets the entry, too: its own next call is another effect.
    if (entry.lent) this.state.caller.ledger.report(entry, {});
    return { answer: this.refuse(entry, by) };
  }

  /** The outcome is unknown, and other agents may claim the effect as well. */
  async afterContested(entry: LedgerEntry): Promise<Matched> {
    const chosen = await this.choose("ask", entry);
    if (!chosen.ok) return { answer: chosen };
    const { policy, by } = chosen.value;
    if (policy === "run") return this.another(entry, by);
    if (policy === "fail") return { answer: this.refuse(entry, by) };
    const known = await this.lost.resolve(entry);
    return known === "again" ? { entry } : { answer: known };
  }

  /** The effect is new, but an equal one was made in work that succeeded. */
  async afterEqual(entry: LedgerEntry, equal: LedgerEntry): Promise<Matched> {
    const { caller, spec, call } = this.state;
    entry.resembles = equal.key;
    const chosen = await this.choose(policyForEqual(spec), equal);
    if (!chosen.ok) return { answer: this.state.notMade(entry, chosen) };
    const { policy, by } = chosen.value;
    if (policy === "run") {
      if (by !== undefined) entry.by = by;
      this.state.report(`tool/${spec.name} was called again: an equal call is ${shownEffect(equal)}.`);
      return { entry };
    }
    if (policy === "reuse") {
      caller.ledger.release(call.call);
      return { answer: this.reuse(equal, by) };
    }
    const refusal = this.refuse(equal, by);
    if (by !== undefined) caller.ledger.report(entry, { state: "refused", by, message: refusal.fail.message });
    else if (entry.pending) caller.ledger.release(call.call);
    return { answer: refusal };
  }

  /** The effect is new, unless it is an earlier one in other words: the tool does not declare which arguments make its effect. */
  async afterTwin(entry: LedgerEntry, twin: LedgerEntry): Promise<Matched> {
    const { caller, spec, call } = this.state;
    entry.resembles = twin.key;
    const chosen = await this.choose("ask", twin, "/twin");
    if (!chosen.ok) return { answer: this.state.notMade(entry, chosen) };
    const { policy, by } = chosen.value;
    if (policy === "run") {
      if (by !== undefined) entry.by = by;
      this.state.report(`tool/${spec.name} was called again: a call in other words is ${shownEffect(twin)}.`);
      return { entry };
    }
    if (policy === "fail") {
      const refusal = this.refuse(twin, by);
      caller.ledger.report(entry, { state: "refused", message: refusal.fail.message, ...defined({ by }) });
      return { answer: refusal };
    }
    caller.ledger.adopt(spec, call, twin);
    if (twin.state === "done" || twin.state === "undone") return { answer: this.reuse(twin, by) };
    const known = await this.lost.resolve(twin);
    return known === "again" ? { entry: twin } : { answer: known };
  }

  async choose(policy: OnSameEffect, earlier: LedgerEntry, question = "/again"): Promise<Result<SameEffectChoice>> {
    const { caller, spec, call } = this.state;
    if (policy !== "ask") return ok({ policy });
    const decision = await caller.ask(reviewRequest("same_effect", { tool: spec, call, earlier }), question);
    if (!decision.ok) return decision;
    const { choice, by } = decision.value;
    this.state.decided_at = decision.value.at;
    return ok({ policy: choice === USE_EARLIER ? "reuse" : choice === DO_AGAIN ? "run" : "fail", by });
  }

  /** Gives the answer of the earlier effect. */
  reuse(entry: LedgerEntry, by: string | undefined, earlier = entry): Result<Json> {
    const { caller, spec, call } = this.state;
    // Another process undid it while a person was asked.
    if (earlier.state === "undone") return this.undone(earlier, by);
    if (earlier.answer === undefined)
      return this.notCalled(
        `it is done already, ${shownEffect(earlier)}, and its answer was too long to be kept. Do not call it again.`,
        entry.key,
      );
    const { task } = call;
    // The record of the task around the call will consist of this effect, too.
    if (task !== undefined && task !== entry.task && !entry.tasks?.includes(task))
      entry.tasks = [...(entry.tasks ?? []), task];
    caller.ledger.report(entry, { reused: (entry.reused ?? 0) + 1 });
    const who = by === undefined ? "" : `, as ${by} decided`;
    const done = `it is ${shownEffect(earlier)}. Its answer was given again${who}.`;
    this.state.report(`tool/${spec.name} was not called: ${done}`);
    return ok(earlier.answer);
  }

  refuse(entry: LedgerEntry, by: string | undefined) {
    const message = `it is done already: ${shownEffect(entry)}${by === undefined ? "" : `. ${by} said not to do it again`}`;
    this.state.warn(`tool/${this.state.spec.name} was not called: ${message}.`);
    return this.notCalled(message, entry.key, by);
  }

  /** The call is made as another effect. */
  private another(entry: LedgerEntry, by: string | undefined): { entry: LedgerEntry } {
    const { caller, spec, call } = this.state;
    const { ledger } = caller;
    const next = ledger.another(spec, entry, call, ledger.program.at);
    next.resembles = entry.key;
    if (by !== undefined) next.by = by;
    return { entry: next };
  }

  private undone({ key }: LedgerEntry, by: string | undefined) {
    const message = "it was taken back during that time, and was not done again. To do it again, call it again";
    this.state.warn(`tool/${this.state.spec.name} was not called: ${message}.`);
    return this.notCalled(message, key, by);
  }

  /** @param key of the earlier effect */
  private notCalled(message: string, key: string, by?: string) {
    return failed("tool_error", message, {
      tool: this.state.spec.name,
      code: "same_effect",
      key,
      ...defined({ by }),
    });
  }
}
