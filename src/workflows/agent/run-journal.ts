import { workflowInfo } from "@temporalio/workflow";
import type { AgentRun, AgentState } from "../../core/agent/run/run";
import { failed, type Result } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { givenRows, rowsOf } from "../../core/history/read/project";
import type { RecordChange } from "../../core/journal/changes";
import { type JournalDecision, parseJournalDecision, signedRecord } from "../../core/journal/decision-input";
import { givenJournal } from "../../core/journal/given-journal";
import type { Journal, JournalChange } from "../../core/journal/journal";
import { recordText, renderEndOfPeoplesLog } from "../../core/journal/mission-log";
import { type PackedRecord, packed, unpacked } from "../../core/journal/record";
import { JournalView, type RecordView } from "../../core/journal/view";
import { recordRefusal } from "../../core/review/admission";
import type { Verification } from "../../core/review/verification";
import type { AgentRunInput, ContinuedRun } from "../agent-run-input";
import { PendingChanges } from "../chain/pending-changes";
import type { RunChain } from "../chain/run-chain";
import { valueOrReject } from "../failures";
import type { ReplayCost } from "../history-limits";

/** The memo key of the Mission Log for people. */
const LOG_MEMO = "mission_log";
/** Records that the memo and the page in the Web UI list. */
const SHOWN_RECORDS = 50;

/** The state of the run that this one continues, with its journal. */
export function continuedState({ state, records }: ContinuedRun): AgentState {
  return records === undefined ? state : { ...state, journal: records.map(unpacked) };
}

/** The journal of one run in its workflow: its rows, how they get into the history, and the decisions of people. */
export class RunJournal {
  readonly pendingChanges = new PendingChanges();
  private readonly view: JournalView;
  private journal: Journal | null = null;
  private chain: RunChain | null = null;
  private decisions: number;
  /** Decisions recorded before the present invocation began. It may not have seen later ones. */
  private decisionsSeen = 0;
  /** The Mission Log that the memo shows. */
  private written = "";

  constructor(
    input: AgentRunInput,
    private readonly cost: ReplayCost,
  ) {
    const { carried, retry } = input;
    const records = (carried === undefined ? retry?.records : carried.records)?.map(unpacked);
    const given = () => givenRows(givenJournal(input).journal, workflowInfo().startTime.getTime());
    this.view = new JournalView(records ? rowsOf(records) : carried === undefined ? given() : []);
    this.decisions = carried?.unseen_decisions ?? 0;
  }

  /** Keeps what the run records from now on. It may have no journal. */
  follow({ journal, ledger }: Pick<AgentRun, "journal" | "ledger">, chain: RunChain): void {
    this.journal = journal;
    this.chain = chain;
    journal?.onChange((change) => this.changed(change));
    ledger.onChange((effect) => this.pendingChanges.add({ effect }));
    ledger.onState((news) => chain.effect(news));
    ledger.onProgram((reply) => chain.program(reply));
  }

  rows(): RecordView[] {
    return this.view.rows();
  }

  /** The records with all that is known of them; null = the run has no journal. */
  records(): PackedRecord[] | null {
    return this.journal?.list().map(packed) ?? null;
  }

  /** The journal with whole values: id -> value; null = the run has no journal. */
  whole(): { [id: string]: Json } | null {
    return this.journal?.toJson() ?? null;
  }

  /** Checks a decision. `raw` can be anything, because signals are not checked earlier. */
  decision(raw: unknown): Result<JournalDecision> {
    const decision = parseJournalDecision(raw);
    if (!decision.ok) return decision;
    if (this.journal === null)
      return failed(
        "wrong_kind",
        "This run was started without a journal, so nothing can be recorded in it. Start it with one.",
      );
    const fail = this.journal.refusal(decision.value);
    return fail ? { ok: false, fail } : decision;
  }

  /** A decision that counts, after a worker has found out who made it: as `decision`, and the reasons of `recordRefusal`. */
  admit(raw: JournalDecision, verification: Verification): Result<JournalDecision> {
    const decision = this.decision(raw);
    if (!decision.ok) return decision;
    const replaced = this.view.row(decision.value.id)?.at;
    const fail = recordRefusal(signedRecord(workflowInfo().workflowId, raw), verification, replaced);
    return fail ? { ok: false, fail } : decision;
  }

  /** Records a checked decision. */
  record(decision: JournalDecision): RecordView {
    valueOrReject((this.journal as Journal).record(decision));
    this.decisions += 1;
    return this.view.row(decision.id) as RecordView;
  }

  /** Whether there is a decision that the present invocation may not have seen. */
  get hasUnseenDecision(): boolean {
    return this.decisions > this.decisionsSeen;
  }

  /** An invocation begins: it sees all earlier decisions. */
  markSeen(): void {
    this.decisionsSeen = this.decisions;
  }

  /** The end of the Mission Log for people, as pages and the memo show it. */
  shownLog(): string {
    return renderEndOfPeoplesLog(this.view.last(SHOWN_RECORDS), this.view.size);
  }

  /** Writes the waiting work, these fields and the Mission Log into the memo, for people who have no worker. */
  writeForPeople(fields: { [field: string]: unknown }): void {
    const log = this.shownLog();
    this.pendingChanges.write({ ...fields, ...(log === this.written ? {} : { [LOG_MEMO]: log }) });
    this.written = log;
  }

  /** The memo that the next run begins with. */
  memo(): { [key: string]: string } {
    const log = this.shownLog();
    return log === "" ? {} : { [LOG_MEMO]: log };
  }

  /** The state for the next run, after continue-as-new. */
  continueState({ journal, ...state }: AgentState): Pick<ContinuedRun, "state" | "records" | "unseen_decisions"> {
    return {
      state: { ...state, journal: null },
      ...(journal && { records: journal.map(packed) }),
      unseen_decisions: this.decisions - this.decisionsSeen,
    };
  }

  private changed(change: JournalChange): void {
    this.cost.recorded();
    if (change.kind === "reset") {
      this.view.remove(change.id);
      return this.write({ id: change.id, reset: true });
    }
    this.write(this.view.add(change.record, recordText(change.record)));
  }

  private write(change: RecordChange): void {
    this.pendingChanges.add(change);
    this.chain?.record(change);
  }
}
