import { failed, ok, type Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { LedgerEntry } from "../../effects/entry";
import { reviewRequest } from "../../review/kinds";
import { DID_NOT_HAPPEN, IT_HAPPENED, TRY_AGAIN } from "../../review/kinds/unknown-effect";
import type { EffectCallState } from "./effect-call-state";
import type { SharedEffect } from "./shared-effect";

/**
 * An effect whose answer was lost (effects reference, section 6). The tool looks up whether it has happened; if the
 * tool does not know, a person decides about an irreversible one.
 */
export class LostOutcome {
  constructor(
    private readonly state: EffectCallState,
    private readonly shared: SharedEffect,
  ) {}

  /**
   * Finds out whether the effect has happened.
   *
   * @param answer of the call that was lost just now; absent: of an earlier one
   */
  async resolve(entry: LedgerEntry, answer?: Result<Json>): Promise<Result<Json> | "again"> {
    const outcome = await this.found(entry, answer);
    if (outcome !== "again" && entry.state !== "unknown") await this.shared.settle(entry);
    return outcome;
  }

  private async found(entry: LedgerEntry, answer?: Result<Json>): Promise<Result<Json> | "again"> {
    const { caller, spec } = this.state;
    const found = await this.lookedUp(entry);
    if (found?.state === "found") {
      caller.ledger.report(entry, { state: "done", answer: found.value, by: "lookup" });
      this.state.report(`The answer of tool/${spec.name} was lost. The tool looked it up: it had happened.`);
      return ok(found.value);
    }
    if (found?.state === "absent") {
      this.state.report(`The answer of tool/${spec.name} was lost. The tool looked it up: it had not happened.`);
      return "again";
    }
    // A tool that is not irreversible promises that a second call with the same key is no second effect.
    if (spec.effect !== "irreversible") return answer ?? "again";
    return this.asked(entry, answer);
  }

  private async lookedUp(entry: LedgerEntry) {
    const { spec, call, caller } = this.state;
    if (spec.lookup !== true || caller.host.lookUpEffect === undefined) return undefined;
    return caller.host.lookUpEffect({ ...call, key: entry.key });
  }

  private async asked(
    entry: LedgerEntry,
    answer: Result<Json> = this.unknownOutcome(entry),
  ): Promise<Result<Json> | "again"> {
    const { caller, spec, call } = this.state;
    const { ledger } = caller;
    const decision = await caller.ask(reviewRequest("unknown_effect", { tool: spec, call, entry }), "/lost");
    if (!decision.ok) {
      return decision.fail.details?.code === "nobody_decides" ? answer : decision;
    }
    const { choice, by, value = null, note } = decision.value;
    if (choice === TRY_AGAIN) {
      this.state.decided_at = decision.value.at;
      entry.by = by;
      return "again";
    }
    const why = note === undefined ? "" : `: ${note}`;
    if (choice === IT_HAPPENED) {
      ledger.report(entry, { state: "done", answer: value, by });
      this.state.report(`The answer of tool/${spec.name} was lost. ${by} confirmed that it had happened${why}.`);
      return ok(value);
    }
    const message = `it did not happen, ${by} said${why}`;
    ledger.report(entry, { state: "failed", by, message });
    return failed("tool_error", message, { tool: spec.name, code: DID_NOT_HAPPEN, by });
  }

  private unknownOutcome(entry: LedgerEntry): Result<Json> {
    return failed(
      "tool_error",
      `the outcome is unknown: its worker was lost or it took longer than allowed. The effect may have happened.`,
      { tool: this.state.spec.name, code: "unknown_outcome", key: entry.key },
    );
  }
}
