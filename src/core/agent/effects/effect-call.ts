import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { type CallHost, dueOf, type ToolCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import { effectId, toolVersion } from "../../effects/effect-id";
import type { OnOtherEffect, OnSameEffect } from "../../effects/effect-settings";
import { ANSWER_LOST, type EffectFacts, type LedgerEntry } from "../../effects/entry";
import { policyForEqual, policyForSame } from "../../effects/policies";
import type { RunLedger } from "../../effects/run-ledger";
import type { FinalDecision, ReviewRequest } from "../../review/request";
import type { Answered } from "../result/answered";
import { applyApproval, approvalRequest, isExpired } from "../tools/approval";
import { decidedOther, otherEffectRequest, shownArgs } from "../tools/other-effect";
import {
  DID_NOT_HAPPEN,
  DO_AGAIN,
  IT_HAPPENED,
  lostOutcomeRequest,
  placeInMission,
  sameEffectRequest,
  TRY_AGAIN,
  USE_EARLIER,
} from "../tools/same-effect";
import { earlierElsewhere, isShared, SharedEffect } from "./shared-effect";

/** What a call of a tool with effects needs from its run. */
export interface EffectCaller {
  host: CallHost;
  ledger: RunLedger;
  /** Opens the review of a question about the call, and waits for the decision. `question` names it within the call. */
  ask(request: ReviewRequest, question: string): Promise<Result<FinalDecision>>;
  /** Native calls: an equal one of the same reply may be made while a person is asked about this one. */
  comparesAfterApproval: boolean;
  /** Waits while another call of the reply makes this effect, which a person's edit may have made the same; undefined: none does. */
  alone?(effect: string): Promise<void> | undefined;
  /** What becomes of another effect under the id of a task, where calls of these tools are concerned. */
  onOther(tools: string[]): OnOtherEffect;
}

/**
 * A call of a tool with effects (effects reference, sections 4 to 6): the ledger says which effect it means, and the
 * call is made only if that effect is not done already, or if it shall be done again.
 */
export function callWithEffect(caller: EffectCaller, spec: ToolSpec, call: ToolCall): Promise<Answered> {
  return new EffectCall(caller, spec, call).made();
}

/** The effect that a call means, if the call shall be made; else its answer. */
type Meant = { entry: LedgerEntry } | { answer: Result<Json> };

/** A call from the ledger's question to its answer. */
class EffectCall {
  private readonly notices: string[] = [];
  private readonly warnings: { code: string; message: string }[] = [];
  private notes: NonNullable<Answered["notes"]> = {};
  private call: ToolCall;
  /** When a person last said that the call shall be made. */
  private decided_at: number | undefined;
  private readonly shared: SharedEffect;
  /** What the task had done before, if no record tells of it. */
  private unrecorded: string | undefined;

  constructor(
    private readonly caller: EffectCaller,
    private readonly spec: ToolSpec,
    call: ToolCall,
  ) {
    this.call = call;
    this.shared = new SharedEffect(caller.host, caller.ledger, spec);
  }

  async made(): Promise<Answered> {
    let meant = await this.meant();
    if (this.spec.approval && "entry" in meant) meant = await this.approved(meant.entry);
    if ("answer" in meant) return this.answered(meant.answer);
    let { entry } = meant;
    // Makes the call, again if the tool or a person says so, until it is known what became of the effect.
    for (;;) {
      const held = this.shared.isAsked ? await this.heldElsewhere(entry) : undefined;
      if (held !== undefined) return this.answered(held);
      // Before the ledger says that the call is made.
      await this.caller.host.closed?.();
      const facts = this.intended(entry);
      const answer =
        facts === null
          ? this.notMade(entry, OUT_OF_TIME)
          : await this.caller.host.callTool({ ...this.call, key: entry.key, effect: facts });
      const isKnown = facts === null || this.noteAnswer(entry, answer);
      if (!answer.ok || this.spec.completes_later) await this.shared.settle(entry);
      if (isExpired(answer)) {
        const again = await this.approvedAgain();
        if ("answer" in again) return this.answered(again.answer);
        entry = again.entry;
        continue;
      }
      if (isKnown) return this.answered(answer);
      const outcome = await this.lost(entry, answer);
      if (outcome !== "again") return this.answered(outcome);
    }
  }

  private answered(answer: Result<Json>): Answered {
    const { notices, warnings, notes, unrecorded } = this;
    return {
      answer,
      ...defined({ unrecorded }),
      ...(Object.keys(notes).length === 0 ? {} : { notes }),
      ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }

  /** The call began too late after the yes, so it is asked about once more. */
  private async approvedAgain(): Promise<Meant> {
    const meant = await this.meant();
    return "entry" in meant ? this.approved(meant.entry) : meant;
  }

  /** A person says whether the call is made, and with which arguments. */
  private async approved(entry: LedgerEntry): Promise<Meant> {
    const { spec, call, caller } = this;
    const tool_version = await versionNow(caller.host, spec, call);
    const shared = isShared(spec) ? (true as const) : undefined;
    const seal = { tool_version, mission: caller.ledger.mission, generation: entry.key, ...defined({ shared }) };
    const decision = await caller.ask(approvalRequest(spec, call, seal), "");
    if (!decision.ok) return { answer: this.notMade(entry, decision) };
    const { by, at } = decision.value;
    const approved = applyApproval(this.call, decision.value);
    this.notes = { approval: approved.approval };
    if (!approved.ok) return { answer: this.refused(entry, approved.fail.message, by, approved) };
    this.notes = { approval: approved.approval, args: approved.args };
    let meant: Meant = { entry };
    if (approved.notice !== undefined) {
      this.notices.push(approved.notice);
      this.caller.ledger.release(this.call.call);
      this.call = { ...this.call, args: approved.args };
    }
    if (!spec.repeatable) await caller.alone?.(effectId(spec, this.call.args));
    if (approved.notice !== undefined) meant = await this.meant();
    else if (caller.comparesAfterApproval && entry.pending && entry.resembles === undefined) meant = await this.meant();
    if ("answer" in meant) return meant;
    this.call = { ...this.call, ...defined({ approval: decision.value.approval }) };
    meant.entry.by = by;
    this.decided_at = at;
    return meant;
  }

  private async meant(): Promise<Meant> {
    const { caller, spec, call } = this;
    const { entry, kind, equal } = caller.ledger.claim(spec, call, caller.ledger.program.at);
    if (kind !== "new") return this.afterKnown(entry);
    const unrecorded = this.unrecordedBefore(entry);
    if (unrecorded !== undefined) return this.afterUnrecorded(entry, unrecorded, equal);
    return this.isMeantAgain(entry, equal) ? this.afterEqual(entry, equal) : { entry };
  }

  /** An equal effect was done before, and nobody has said yet that this one shall be done as well. */
  private isMeantAgain(entry: LedgerEntry, equal: LedgerEntry | undefined): equal is LedgerEntry {
    return equal !== undefined && entry.by === undefined;
  }

  /** The ledger knows the effect from an earlier call. */
  private async afterKnown(entry: LedgerEntry): Promise<Meant> {
    switch (entry.state) {
      case "done":
        return this.afterSame(entry);
      case "unknown":
      case "intended": {
        // Another mission made the call: its guard is asked first.
        if (entry.held_by !== undefined) return { entry };
        if (entry.contested) return this.afterContested(entry);
        const known = await this.lost(entry);
        return known === "again" ? { entry } : { answer: known };
      }
      default:
        return { entry };
    }
  }

  /** What the task around the call has done before, if it is something else and no record tells of it. */
  private unrecordedBefore(entry: LedgerEntry): LedgerEntry | undefined {
    const { task } = this.call;
    if (task === undefined || this.spec.repeatable || this.unrecorded !== undefined) return undefined;
    return this.caller.ledger.program.unrecorded(entry, task);
  }

  /** The call is made, and told, if nobody says otherwise (effects reference, section 8). */
  private async afterUnrecorded(
    entry: LedgerEntry,
    earlier: LedgerEntry,
    equal: LedgerEntry | undefined,
  ): Promise<Meant> {
    const refusal = await this.refusedAsOther(entry, earlier);
    if (refusal) return { answer: refusal };
    return this.isMeantAgain(entry, equal) ? this.afterEqual(entry, equal) : { entry };
  }

  /** @returns why the call is not made */
  private async refusedAsOther(entry: LedgerEntry, earlier: LedgerEntry): Promise<Result<Json> | null> {
    const { caller, spec, call } = this;
    const done = `tool/${earlier.tool} ${shownArgs(earlier.args)} is ${this.shown(earlier)}`;
    const both = `(task "${call.task}" ...) now asks for tool/${spec.name} ${shownArgs(call.args)}; ${done}, and was not recorded`;
    this.unrecorded = `${done}, and was not recorded`;
    const policy = caller.onOther([spec.name, earlier.tool]);
    const refused = (message: string, details: JsonObject = {}) =>
      failed("tool_error", message, { ...details, tool: spec.name, code: "other_effect", key: earlier.key });
    if (policy === "fail") {
      caller.ledger.release(call.call);
      this.tellOther(`${both}: it was not done.`);
      return refused(`${both}. Use another id for another effect`);
    }
    if (policy !== "ask") {
      this.tellOther(`${both}: it is done as another effect.`);
      return null;
    }
    const before = { call: { tool: earlier.tool, ...defined({ args: earlier.args }) }, unrecorded: true as const };
    const decision = await caller.ask(otherEffectRequest(spec, call, before), "/other");
    if (!decision.ok) return this.notMade(entry, decision);
    const { by } = decision.value;
    const decided = decidedOther(spec.name, decision.value);
    if (!decided.ok) {
      caller.ledger.tell(entry, { state: "refused", by, message: decided.fail.message });
      return decided;
    }
    entry.by = by;
    this.tellOther(`${both}: it is done as another effect, as ${by} decided.`);
    return null;
  }

  /** The effect is done, in work that did not succeed. */
  private async afterSame(entry: LedgerEntry): Promise<Meant> {
    const decided = await this.decided(policyForSame(this.spec, entry.contested), entry);
    if (!decided.ok) return { answer: decided };
    const { policy, by } = decided.value;
    if (policy === "run") return this.another(entry, by);
    if (policy === "reuse") return { answer: this.reused(entry, by) };
    // The caller of this agent hears of it: its own next call means another effect.
    if (entry.lent) this.caller.ledger.tell(entry, {});
    return { answer: this.sameEffect(entry, by) };
  }

  /** The call is made as another effect. */
  private another(entry: LedgerEntry, by: string | undefined): { entry: LedgerEntry } {
    const { ledger } = this.caller;
    const next = ledger.another(this.spec, entry, this.call, ledger.program.at);
    next.resembles = entry.key;
    if (by !== undefined) next.by = by;
    return { entry: next };
  }

  /** Nobody knows whether the effect is done, and agents beside this one may ask for it as well. */
  private async afterContested(entry: LedgerEntry): Promise<Meant> {
    const decided = await this.decided("ask", entry);
    if (!decided.ok) return { answer: decided };
    const { policy, by } = decided.value;
    if (policy === "run") return this.another(entry, by);
    if (policy === "fail") return { answer: this.sameEffect(entry, by) };
    const known = await this.lost(entry);
    return known === "again" ? { entry } : { answer: known };
  }

  /** The effect is new, but one that is equal was done before. */
  private async afterEqual(entry: LedgerEntry, equal: LedgerEntry): Promise<Meant> {
    const { ledger } = this.caller;
    entry.resembles = equal.key;
    const decided = await this.decided(policyForEqual(this.spec), equal);
    if (!decided.ok) return { answer: this.notMade(entry, decided) };
    const { policy, by } = decided.value;
    if (policy === "run") {
      if (by !== undefined) entry.by = by;
      this.tell(`tool/${this.spec.name} was called again: an equal call is ${this.shown(equal)}.`);
      return { entry };
    }
    if (policy === "reuse") {
      ledger.release(this.call.call);
      return { answer: this.reused(equal, by) };
    }
    return { answer: this.notDoneAgain(entry, equal, by) };
  }

  private notDoneAgain(entry: LedgerEntry, equal: LedgerEntry, by: string | undefined): Result<Json> {
    const { ledger } = this.caller;
    const refusal = this.sameEffect(equal, by);
    if (by !== undefined) ledger.tell(entry, { state: "refused", by, message: refusal.fail.message });
    else if (entry.pending) ledger.release(this.call.call);
    return refusal;
  }

  /** What the policy says, or the person whom it asks. */
  private async decided(
    policy: OnSameEffect,
    earlier: LedgerEntry,
    question = "/again",
  ): Promise<Result<{ policy: Exclude<OnSameEffect, "ask">; by?: string }>> {
    if (policy !== "ask") return ok({ policy });
    const decision = await this.caller.ask(sameEffectRequest(this.spec, this.call, earlier), question);
    if (!decision.ok) return decision;
    const { choice, by } = decision.value;
    this.decided_at = decision.value.at;
    return ok({ policy: choice === USE_EARLIER ? "reuse" : choice === DO_AGAIN ? "run" : "fail", by });
  }

  private reused(entry: LedgerEntry, by: string | undefined, earlier = entry): Result<Json> {
    // Somebody took it back while a person was asked.
    if (earlier.state === "undone") return this.undoneMeanwhile(earlier, by);
    if (earlier.answer === undefined)
      return this.notCalled(
        `it is done already, ${this.shown(earlier)}, and its answer was too long to be kept. Do not call it again.`,
        entry.key,
      );
    const { task } = this.call;
    // The record of the task around the call will be made of this effect, too.
    if (task !== undefined && task !== entry.task) entry.tasks = [...(entry.tasks ?? []), task];
    this.caller.ledger.tell(entry, { reused: (entry.reused ?? 0) + 1 });
    const who = by === undefined ? "" : `, as ${by} decided`;
    this.tell(`tool/${this.spec.name} was not called: it is ${this.shown(earlier)}. Its answer was given again${who}.`);
    return ok(earlier.answer);
  }

  private undoneMeanwhile({ key }: LedgerEntry, by: string | undefined) {
    const message = "it was taken back meanwhile, and was not done again. To do it again, call it again";
    this.warn(`tool/${this.spec.name} was not called: ${message}.`);
    return this.notCalled(message, key, by);
  }

  private sameEffect(entry: LedgerEntry, by: string | undefined) {
    const message = `it is done already: ${this.shown(entry)}${by === undefined ? "" : `. ${by} said not to do it again`}`;
    this.warn(`tool/${this.spec.name} was not called: ${message}.`);
    return this.notCalled(message, entry.key, by);
  }

  /** @param key of the effect that is there already */
  private notCalled(message: string, key: string, by?: string) {
    return failed("tool_error", message, { tool: this.spec.name, code: "same_effect", key, ...defined({ by }) });
  }

  /** Another mission may have made an effect that all missions share. @returns the answer of a call that is not made */
  private async heldElsewhere(entry: LedgerEntry): Promise<Result<Json> | undefined> {
    const { ledger } = this.caller;
    let over: number | undefined;
    for (let again = false; ; ) {
      const claimed = await this.shared.claim(entry, this.call, again, over);
      if (claimed === undefined) return undefined;
      if (!claimed.ok) return this.notMade(entry, claimed);
      if (claimed.value.state === "yours") {
        ledger.share(entry, claimed.value.n);
        return undefined;
      }
      const { holder } = claimed.value;
      // The guard has forgotten that the mission means that one already.
      again = ledger.isMet(entry, holder.n);
      if (again) continue;
      const held_by = holder.deed === ledger.deedOf(entry) ? undefined : holder.deed;
      if (holder.state !== "done") {
        ledger.meet(entry, holder.n, { state: "unknown", ...defined({ held_by }) });
        const known = await this.lost(entry);
        if (known !== "again") return known;
        over = holder.claims;
        continue;
      }
      const earlier = earlierElsewhere(entry, ledger.mission, holder);
      const decided =
        held_by === undefined
          ? ok({ policy: "reuse" as const, by: undefined })
          : await this.decided(policyForSame(this.spec), earlier, "/elsewhere");
      if (!decided.ok) return this.notMade(entry, decided);
      const { policy, by } = decided.value;
      if (policy === "fail") {
        const refusal = this.sameEffect(earlier, by);
        // It stands for the other mission's effect from now on: the next call that means it is refused, too.
        ledger.tell(entry, { state: "refused", message: refusal.fail.message, ...defined({ by, held_by }) });
        return refusal;
      }
      if (policy === "reuse") {
        const { answer } = holder;
        ledger.meet(entry, holder.n, { state: "done", ...defined({ held_by, answer, by }) });
        return this.reused(entry, by, earlier);
      }
      Object.assign(entry, { resembles: earlier.key }, defined({ by }));
      this.tell(`tool/${this.spec.name} was called again: an equal call is ${this.shown(earlier)}.`);
      again = true;
    }
  }

  /** The ledger notes that the call is made now. @returns what the call says of it; null: its time is over */
  private intended(entry: LedgerEntry): EffectFacts | null {
    const { host, ledger } = this.caller;
    const { call, spec } = this;
    const due = dueOf(host, call);
    if (due !== undefined && host.now() >= due) return null;
    const { by, resembles, deed } = entry;
    const { identity, undo, undo_cost, task_queue } = spec;
    const back = undo === undefined ? {} : defined({ undo, undo_cost, task_queue });
    const at = this.decided_at ?? ledger.program.at;
    const facts: EffectFacts = {
      kind: entry.effect,
      at,
      call: call.call,
      ...defined({ by, resembles, identity, deed }),
      ...back,
    };
    ledger.intend(entry, call, facts);
    return facts;
  }

  /** @returns whether it is known what became of the effect */
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
    if (reason === "mission_timeout") ledger.tell(entry, { state: "unknown" });
    else if (reason === "configuration_error") ledger.tell(entry, { state: "refused", message });
    else if (NOT_SENT.includes(String(details?.code ?? reason))) ledger.forget(entry);
    else ledger.failed(entry, message);
    return true;
  }

  /**
   * Nobody knows what became of the effect: the tool is asked, then a person.
   *
   * @param answer of the call that was lost just now; absent: of an earlier one
   */
  private async lost(entry: LedgerEntry, answer?: Result<Json>): Promise<Result<Json> | "again"> {
    const outcome = await this.found(entry, answer);
    if (outcome !== "again" && entry.state !== "unknown") await this.shared.settle(entry);
    return outcome;
  }

  private async found(entry: LedgerEntry, answer?: Result<Json>): Promise<Result<Json> | "again"> {
    const found = await this.lookedUp(entry);
    if (found?.state === "found") {
      this.caller.ledger.tell(entry, { state: "done", answer: found.value, by: "lookup" });
      this.tell(`The answer of tool/${this.spec.name} was lost. The tool looked it up: it had happened.`);
      return ok(found.value);
    }
    if (found?.state === "absent") {
      this.tell(`The answer of tool/${this.spec.name} was lost. The tool looked it up: it had not happened.`);
      return "again";
    }
    // A later call with the same key is no second effect, if the tool keeps its word.
    if (this.spec.effect !== "irreversible") return answer ?? "again";
    return this.askedAboutLost(entry, answer);
  }

  private async askedAboutLost(
    entry: LedgerEntry,
    answer: Result<Json> = this.unknownOutcome(entry),
  ): Promise<Result<Json> | "again"> {
    const { ledger } = this.caller;
    const decision = await this.caller.ask(lostOutcomeRequest(this.spec, this.call, entry), "/lost");
    if (!decision.ok) {
      return decision.fail.details?.code === "nobody_decides" ? answer : decision;
    }
    const { choice, by, value = null, note } = decision.value;
    if (choice === TRY_AGAIN) {
      this.decided_at = decision.value.at;
      entry.by = by;
      return "again";
    }
    const why = note === undefined ? "" : `: ${note}`;
    if (choice === IT_HAPPENED) {
      ledger.tell(entry, { state: "done", answer: value, by });
      this.tell(`The answer of tool/${this.spec.name} was lost. ${by} said that it had happened${why}.`);
      return ok(value);
    }
    const message = `it did not happen, ${by} said${why}`;
    ledger.tell(entry, { state: "failed", by, message });
    return failed("tool_error", message, { tool: this.spec.name, code: DID_NOT_HAPPEN, by });
  }

  private async lookedUp(entry: LedgerEntry) {
    const { spec, call, caller } = this;
    if (spec.lookup !== true || caller.host.lookUpEffect === undefined) return undefined;
    return caller.host.lookUpEffect({ ...call, key: entry.key });
  }

  private unknownOutcome(entry: LedgerEntry): Result<Json> {
    return failed(
      "tool_error",
      `the outcome is unknown: its worker was lost or it took longer than allowed. The effect may have happened.`,
      { tool: this.spec.name, code: "unknown_outcome", key: entry.key },
    );
  }

  private refused(entry: LedgerEntry, message: string, by: string, answer: Result<Json> & { ok: false }): Result<Json> {
    this.caller.ledger.tell(entry, { state: "refused", message, by });
    return { ok: false, fail: answer.fail };
  }

  /** The call was not made, and nothing is known against it. */
  private notMade(entry: LedgerEntry, answer: Result<never>): Result<Json> {
    if (entry.pending) this.caller.ledger.release(this.call.call);
    return answer;
  }

  /** The model and the readers of the Step are told. */
  private tell(message: string): void {
    this.notices.push(message);
    this.warn(message);
  }

  private tellOther(message: string): void {
    this.notices.push(message);
    this.warnings.push({ code: "other_effect", message });
  }

  private warn(message: string): void {
    this.warnings.push({ code: "same_effect", message });
  }

  private shown({ state, by, ...place }: LedgerEntry): string {
    const who = by === undefined ? "" : `, ${by}`;
    return `${state} (${placeInMission(place)}${who})`;
  }
}

/** The version of the tool that the workers have now. A host that does not ask them knows that of the agent. */
export const versionNow = async (host: CallHost, spec: ToolSpec, { parallel }: ToolCall): Promise<string> =>
  (await host.toolVersion?.(spec, parallel === true)) ?? toolVersion(spec);

/** The host says so of a call that it did not send, and the worker of one that it did not make. */
const NOT_SENT: readonly string[] = ["tool_not_found", "payload_too_large", "secret_in_arguments"];

const OUT_OF_TIME = failed("mission_timeout", "The mission's time limit has passed; the call was not made.");
