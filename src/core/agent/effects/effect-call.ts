import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { type CallHost, dueOf, type ToolCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { ClaimedEffect } from "../../effects/effect-guard";
import { effectId, toolVersion } from "../../effects/effect-id";
import { ANSWER_LOST, type EffectFacts, type LedgerEntry } from "../../effects/entry";
import { policyForSame } from "../../effects/policies";
import { reviewRequest } from "../../review/kinds";
import type { Answered } from "../result/answered";
import { applyApproval, isExpired } from "../tools/approval";
import { decidedOther, shownArgs } from "../tools/other-effect";
import { EarlierEffect, type Matched, type SameEffectChoice } from "./earlier-effect";
import { type EffectCaller, EffectCallState, shownEffect } from "./effect-call-state";
import { LostOutcome } from "./lost-outcome";
import { earlierElsewhere, isShared, SharedEffect } from "./shared-effect";

/**
 * A call of a tool with effects (effects reference, sections 4 to 6): the ledger matches it with an effect, and the call is
 * made only if that effect is not done already, or if it shall be done again.
 */
export function callWithEffect(caller: EffectCaller, spec: ToolSpec, call: ToolCall): Promise<Answered> {
  return new EffectCall(new EffectCallState(caller, spec, call)).make();
}

/** A call from its match in the ledger to its answer. */
class EffectCall {
  private readonly caller: EffectCaller;
  private readonly shared: SharedEffect;
  private readonly lost: LostOutcome;
  private readonly earlier: EarlierEffect;
  /** The keys of new effects that an earlier run has not made, as the tool or a person has reported. */
  private readonly cleared = new Set<string>();

  constructor(private readonly state: EffectCallState) {
    const { caller, spec } = state;
    this.caller = caller;
    this.shared = new SharedEffect(caller.host, caller.ledger, spec);
    this.lost = new LostOutcome(state, this.shared);
    this.earlier = new EarlierEffect(state, this.lost);
  }

  /** It may become stricter while people are asked. */
  private get spec(): ToolSpec {
    return this.state.spec;
  }

  async make(): Promise<Answered> {
    const { state } = this;
    let matched = await this.match();
    if (this.spec.approval && "entry" in matched) matched = await this.approved(matched.entry);
    if ("answer" in matched) return state.answered(matched.answer);
    let { entry } = matched;
    // Makes the call, again if the tool or a person requests it, until the outcome is known.
    for (;;) {
      const elsewhere = this.shared.isAsked ? await this.madeElsewhere(entry) : undefined;
      if (elsewhere !== undefined) return state.answered(elsewhere);
      // The run may have been reset while people were asked.
      const known = this.isDoubtful(entry) ? await this.afterDoubt(entry) : undefined;
      if (known !== undefined) return state.answered(known);
      // Before the ledger records that the call begins.
      await this.caller.host.closed?.();
      const facts = this.begin(entry);
      const answer =
        facts === null
          ? state.notMade(entry, OUT_OF_TIME)
          : await this.caller.host.callTool({ ...state.call, key: entry.key, effect: facts });
      const isKnown = facts === null || this.noteAnswer(entry, answer);
      if (!answer.ok || this.spec.completes_later) await this.shared.settle(entry);
      if (isExpired(answer)) {
        const again = await this.approvedAgain();
        if ("answer" in again) return state.answered(again.answer);
        entry = again.entry;
        continue;
      }
      if (isKnown) return state.answered(answer);
      const outcome = await this.lost.resolve(entry, answer);
      if (outcome !== "again") return state.answered(outcome);
      if (!this.isApprovedBeforeReset) continue;
      const again = await this.approved(entry);
      if ("answer" in again) return state.answered(again.answer);
      entry = again.entry;
    }
  }

  /** The yes may have been for the run before the reset. */
  private get isApprovedBeforeReset(): boolean {
    return Boolean(this.spec.approval) && this.caller.ledger.isDoubted;
  }

  // --- approvals ---------------------------------------------------------------------------------------------------

  /** The call began too late after the approval, so people are asked once more. */
  private async approvedAgain(): Promise<Matched> {
    const matched = await this.match();
    return "entry" in matched ? this.approved(matched.entry) : matched;
  }

  /** A person decides whether the call is made, and with which arguments. */
  private async approved(entry: LedgerEntry): Promise<Matched> {
    const { state, caller } = this;
    const now = await presentTool(caller.host, state.spec, state.call);
    const misfit = caller.misfit(now, state.call);
    if (misfit !== null) return { answer: state.notMade(entry, { ok: false, fail: misfit }) };
    state.spec = caller.follow(now);
    const { spec } = state;
    const shared = isShared(spec) ? (true as const) : undefined;
    const sealed = { tool_version: toolVersion(now), mission: caller.ledger.mission, generation: entry.key };
    const seal = { ...sealed, ...defined({ shared, terms: caller.sealedTerms(spec) }) };
    const decision = await caller.ask(
      reviewRequest("approval", { tool: spec, call: state.call, seal, voided: caller.voided }),
      "",
    );
    if (!decision.ok) return { answer: state.notMade(entry, decision) };
    const { by, at } = decision.value;
    const approved = applyApproval(state.call, decision.value);
    state.notes = { approval: approved.approval };
    if (!approved.ok) {
      caller.ledger.report(entry, { state: "refused", message: approved.fail.message, by });
      return { answer: { ok: false, fail: approved.fail } };
    }
    state.notes = { approval: approved.approval, args: approved.args };
    let matched: Matched = { entry };
    if (approved.notice !== undefined) {
      state.notify(approved.notice);
      caller.ledger.release(state.call.call);
      state.call = { ...state.call, args: approved.args };
    }
    if (!spec.repeatable) await caller.alone?.(effectId(spec, state.call.args));
    const comparesAgain = caller.alone !== undefined && entry.pending && entry.resembles === undefined;
    if (approved.notice !== undefined || comparesAgain) matched = await this.match();
    if ("answer" in matched) return matched;
    state.call = { ...state.call, ...defined({ approval: decision.value.approval }) };
    matched.entry.by = by;
    state.decided_at = at;
    return matched;
  }

  // --- the match in the ledger -------------------------------------------------------------------------------------

  private async match(): Promise<Matched> {
    const { ledger } = this.caller;
    const { entry, kind, equal } = ledger.claim(this.spec, this.state.call, ledger.program.at);
    if (kind !== "new") return this.afterKnown(entry);
    const known = this.isDoubtful(entry) ? await this.afterDoubt(entry) : undefined;
    if (known !== undefined) return { answer: known };
    let twin = this.twinOf(entry, equal);
    for (let decided = twin && ledger.decisionAbout(twin); decided; decided = twin && ledger.decisionAbout(twin)) {
      await this.caller.waitFor(decided);
      twin = this.twinOf(entry, equal);
    }
    if (twin !== undefined) return this.afterTwin(entry, twin);
    const unrecorded = this.unrecordedBefore(entry);
    if (unrecorded !== undefined) return this.afterUnrecorded(entry, unrecorded, equal);
    return this.isUndecided(entry, equal) ? this.earlier.afterEqual(entry, equal) : { entry };
  }

  /** An effect that the call may be, in other words, if nobody has agreed yet that the call is another one. */
  private twinOf(entry: LedgerEntry, equal: LedgerEntry | undefined): LedgerEntry | undefined {
    if (!this.caller.comparesTexts || equal !== undefined || entry.by !== undefined) return undefined;
    return this.caller.ledger.twinOf(this.spec, entry, this.state.call.args);
  }

  private async afterTwin(entry: LedgerEntry, twin: LedgerEntry): Promise<Matched> {
    const end = this.caller.ledger.askAbout(twin);
    try {
      return await this.earlier.afterTwin(entry, twin);
    } finally {
      end();
    }
  }

  /** An equal effect was made before, and nobody has agreed yet that this one shall be made as well. */
  private isUndecided(entry: LedgerEntry, equal: LedgerEntry | undefined): equal is LedgerEntry {
    return equal !== undefined && entry.by === undefined;
  }

  /** Whether a run that the ledger does not know may have made this irreversible call. */
  private isDoubtful({ key, pending }: LedgerEntry): boolean {
    const isOpen = pending === true && !this.cleared.has(key);
    return isOpen && this.caller.ledger.isDoubted && this.spec.effect === "irreversible";
  }

  /** Finds out whether an earlier run has made the call. @returns the answer of a call that is not made */
  private async afterDoubt(entry: LedgerEntry): Promise<Result<Json> | undefined> {
    const { ledger } = this.caller;
    const known = await this.lost.resolve(entry);
    if (known === "again") {
      this.cleared.add(entry.key);
      return undefined;
    }
    if (entry.pending) ledger.release(this.state.call.call);
    return known;
  }

  /** The ledger knows the effect from an earlier call. */
  private async afterKnown(entry: LedgerEntry): Promise<Matched> {
    switch (entry.state) {
      case "done":
        return this.earlier.afterSame(entry);
      case "unknown":
      case "intended": {
        // Another mission made the call: its guard is asked first.
        if (entry.held_by !== undefined) return { entry };
        if (entry.contested) return this.earlier.afterContested(entry);
        const known = await this.lost.resolve(entry);
        return known === "again" ? { entry } : { answer: known };
      }
      default:
        return { entry };
    }
  }

  /** Another effect that the task around the call has made before, if no record has it. */
  private unrecordedBefore(entry: LedgerEntry): LedgerEntry | undefined {
    const { task } = this.state.call;
    if (task === undefined || this.spec.repeatable || this.state.unrecorded !== undefined) return undefined;
    return this.caller.ledger.program.unrecorded(entry, task);
  }

  /** The call is made, and reported, unless a policy or a person refuses it (effects reference, section 8). */
  private async afterUnrecorded(
    entry: LedgerEntry,
    earlier: LedgerEntry,
    equal: LedgerEntry | undefined,
  ): Promise<Matched> {
    const refusal = await this.refusedAsOther(entry, earlier);
    if (refusal) return { answer: refusal };
    return this.isUndecided(entry, equal) ? this.earlier.afterEqual(entry, equal) : { entry };
  }

  /** @returns why the call is not made */
  private async refusedAsOther(entry: LedgerEntry, earlier: LedgerEntry): Promise<Result<Json> | null> {
    const { state, caller, spec } = this;
    const { call } = state;
    const done = `tool/${earlier.tool} ${shownArgs(earlier.args)} is ${shownEffect(earlier)}`;
    const both = `(task "${call.task}" ...) now asks for tool/${spec.name} ${shownArgs(call.args)}; ${done}, and was not recorded`;
    state.unrecorded = `${done}, and was not recorded`;
    const policy = caller.onOther([spec.name, earlier.tool]);
    const refused = (message: string, details: JsonObject = {}) =>
      failed("tool_error", message, { ...details, tool: spec.name, code: "other_effect", key: earlier.key });
    if (policy === "fail") {
      caller.ledger.release(call.call);
      state.reportOther(`${both}: it was not done.`);
      return refused(`${both}. Use another id for another effect`);
    }
    if (policy !== "ask") {
      state.reportOther(`${both}: it is done as another effect.`);
      return null;
    }
    const before = { call: { tool: earlier.tool, ...defined({ args: earlier.args }) }, unrecorded: true as const };
    const decision = await caller.ask(reviewRequest("other_effect", { tool: spec, call, before }), "/other");
    if (!decision.ok) return state.notMade(entry, decision);
    const { by } = decision.value;
    const decided = decidedOther(spec.name, decision.value);
    if (!decided.ok) {
      caller.ledger.report(entry, { state: "refused", by, message: decided.fail.message });
      return decided;
    }
    entry.by = by;
    state.reportOther(`${both}: it is done as another effect, as ${by} decided.`);
    return null;
  }

  // --- effects that all missions share -----------------------------------------------------------------------------

  /** Asks the guard whether another mission has made the effect. @returns the answer of a call that is not made */
  private async madeElsewhere(entry: LedgerEntry): Promise<Result<Json> | undefined> {
    const { state, spec } = this;
    const { ledger } = this.caller;
    let over: number | undefined;
    for (let again = false; ; ) {
      const claimed = await this.shared.claim(entry, state.call, again, over);
      if (claimed === undefined) return undefined;
      if (!claimed.ok) return state.notMade(entry, claimed);
      if (claimed.value.state === "yours") {
        ledger.share(entry, claimed.value.n);
        return undefined;
      }
      const { holder } = claimed.value;
      // The guard has forgotten that this mission has an entry for that effect already.
      again = ledger.isMet(entry, holder.n);
      if (again) continue;
      const held_by = holder.deed === ledger.guardedEffectOf(entry) ? undefined : holder.deed;
      if (holder.state !== "done") {
        ledger.meet(entry, holder.n, { state: "unknown", ...defined({ held_by }) });
        const known = await this.lost.resolve(entry);
        if (known !== "again") return known;
        over = holder.claims;
        continue;
      }
      const earlier = earlierElsewhere(entry, ledger.mission, holder);
      const chosen: Result<SameEffectChoice> =
        held_by === undefined
          ? ok({ policy: "reuse" })
          : await this.earlier.choose(policyForSame(spec), earlier, "/elsewhere");
      if (!chosen.ok) return state.notMade(entry, chosen);
      const answer = this.afterElsewhere(entry, earlier, holder, chosen.value);
      if (answer !== undefined) return answer;
      again = true;
    }
  }

  /** Another mission has made the effect. @returns undefined: the call is made as another effect */
  private afterElsewhere(
    entry: LedgerEntry,
    earlier: LedgerEntry,
    { n, deed, answer }: ClaimedEffect,
    { policy, by }: SameEffectChoice,
  ): Result<Json> | undefined {
    const { ledger } = this.caller;
    const held_by = deed === ledger.guardedEffectOf(entry) ? undefined : deed;
    if (policy === "fail") {
      const refusal = this.earlier.refuse(earlier, by);
      // The entry stands for the other mission's effect from now on: the next call that matches it is refused, too.
      ledger.report(entry, { state: "refused", message: refusal.fail.message, ...defined({ by, held_by }) });
      return refusal;
    }
    if (policy === "reuse") {
      ledger.meet(entry, n, { state: "done", ...defined({ held_by, answer, by }) });
      return this.earlier.reuse(entry, by, earlier);
    }
    Object.assign(entry, { resembles: earlier.key }, defined({ by }));
    this.state.report(`tool/${this.spec.name} was called again: an equal call is ${shownEffect(earlier)}.`);
    return undefined;
  }

  // --- the call itself ---------------------------------------------------------------------------------------------

  /** The ledger records that the call begins. @returns the facts that the call shows; null: its time is over */
  private begin(entry: LedgerEntry): EffectFacts | null {
    const { host, ledger } = this.caller;
    const { call, decided_at } = this.state;
    const due = dueOf(host, call);
    if (due !== undefined && host.now() >= due) return null;
    // The tool may have become irreversible since the entry was made.
    if (this.spec.effect === "irreversible") entry.effect = "irreversible";
    const { by, resembles, deed } = entry;
    const { identity, undo, undo_cost, task_queue } = this.spec;
    const back = undo === undefined ? {} : defined({ undo, undo_cost, task_queue });
    const facts: EffectFacts = {
      kind: entry.effect,
      at: decided_at ?? ledger.program.at,
      call: call.call,
      ...defined({ by, resembles, identity: identity || undefined, deed }),
      ...back,
    };
    ledger.intend(entry, call, facts);
    return facts;
  }

  /** @returns whether the outcome is known */
  private noteAnswer(entry: LedgerEntry, answer: Result<Json>): boolean {
    const { ledger } = this.caller;
    if (answer.ok) {
      ledger.done(entry, answer.value);
      return true;
    }
    const { reason, message, details } = answer.fail;
    if (ANSWER_LOST.includes(String(details?.code))) {
      ledger.unknown(entry);
      return false;
    }
    if (reason === "mission_timeout") ledger.report(entry, { state: "unknown" });
    else if (reason === "configuration_error") ledger.report(entry, { state: "refused", message });
    else if (NOT_SENT.includes(String(details?.code ?? reason))) ledger.forget(entry);
    else ledger.failed(entry, message);
    return true;
  }
}

/** The tool as the workers have it now. A host without `presentTool` has that of the agent. */
export const presentTool = async (host: CallHost, spec: ToolSpec, { parallel }: ToolCall): Promise<ToolSpec> =>
  (await host.presentTool?.(spec, parallel === true)) ?? spec;

/** Codes of calls that the host did not send, or that the worker did not make. */
const NOT_SENT: readonly string[] = ["tool_not_found", "payload_too_large", "secret_in_arguments"];

const OUT_OF_TIME = failed("mission_timeout", "The mission's time limit has passed; the call was not made.");
