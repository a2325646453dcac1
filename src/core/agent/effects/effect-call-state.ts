import { defined } from "../../base/defined";
import type { Failure, Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { CallHost, ToolCall } from "../../calls/host";
import type { ToolSpec } from "../../calls/tool";
import type { OnOtherEffect } from "../../effects/effect-settings";
import type { LedgerEntry } from "../../effects/entry";
import type { RunLedger } from "../../effects/run-ledger";
import type { ReviewRequest } from "../../review/kinds";
import { placeInMission } from "../../review/kinds/about-call";
import type { ReviewTerms } from "../../review/policy/terms";
import type { FinalDecision } from "../../review/request";
import type { Answered } from "../result/answered";

/** The parts of its run that a call of a tool with effects needs. */
export interface EffectCaller {
  host: CallHost;
  ledger: RunLedger;
  /** Opens the review of a question about the call, and waits for the decision. `question` names it within the call. */
  ask(request: ReviewRequest, question: string): Promise<Result<FinalDecision>>;
  /**
   * Native calls: an equal one of the same reply may be made while a person is asked about this one. Waits while another call
   * makes this effect, which a person's edit may have made the same; undefined: none does.
   */
  alone?(effect: string): Promise<void> | undefined;
  /** The declaration of the tool, as strict as the present one; the same where the run does not follow changes. */
  follow(now: ToolSpec): ToolSpec;
  /** Why a call does not fit the present declaration; null: it does, or the run does not follow changes. */
  misfit(now: ToolSpec, call: ToolCall): Failure | null;
  /** Who approved the call before its tool changed. */
  voided?: string | undefined;
  /** The terms that a seal covers. */
  sealedTerms(spec: ToolSpec): ReviewTerms | undefined;
  /** An irreversible call that differs from an earlier one in texts alone is asked about. */
  comparesTexts: boolean;
  /** Waits until another call has its decision: as if a person was asked. */
  waitFor(decided: Promise<void>): Promise<void>;
  /** The policy for another effect under the id of a task, where calls of these tools are concerned. */
  onOther(tools: string[]): OnOtherEffect;
}

/** One call of a tool with effects in its course: its arguments as people approved them, and its report to the model and the Step. */
export class EffectCallState {
  /** When a person last agreed to the call, ms since 1970. */
  decided_at: number | undefined;
  notes: NonNullable<Answered["notes"]> = {};
  /** Another effect that the task had before, if no record has it. */
  unrecorded: string | undefined;
  private readonly notices: string[] = [];
  private readonly warnings: { code: string; message: string }[] = [];

  constructor(
    readonly caller: EffectCaller,
    public spec: ToolSpec,
    public call: ToolCall,
  ) {}

  /** For the model. */
  notify(message: string): void {
    this.notices.push(message);
  }

  /** For the readers of the Step. */
  warn(message: string): void {
    this.warnings.push({ code: "same_effect", message });
  }

  /** For both. */
  report(message: string): void {
    this.notify(message);
    this.warn(message);
  }

  reportOther(message: string): void {
    this.notify(message);
    this.warnings.push({ code: "other_effect", message });
  }

  /** Gives the answer of a call that was not made, and unlinks the call from its entry. */
  notMade(entry: LedgerEntry, answer: Result<never>): Result<Json> {
    if (entry.pending) this.caller.ledger.release(this.call.call);
    return answer;
  }

  /** The answer with the report. */
  answered(answer: Result<Json>): Answered {
    const { notices, warnings, notes, unrecorded } = this;
    return {
      answer,
      ...defined({ unrecorded }),
      ...(Object.keys(notes).length === 0 ? {} : { notes }),
      ...(notices.length === 0 ? {} : { notice: notices.join(" ") }),
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  }
}

/** An effect in the words of reports: its state, its place and the person who decided. */
export function shownEffect({ state, by, ...place }: LedgerEntry): string {
  const who = by === undefined ? "" : `, ${by}`;
  return `${state} (${placeInMission(place)}${who})`;
}
