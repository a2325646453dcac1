import {
  allHandlersFinished,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  upsertSearchAttributes,
  workflowInfo,
} from "@temporalio/workflow";
import { UsageMeter } from "../../core/agent/budget/mission-usage";
import { TreeBudget } from "../../core/agent/budget/tree-budget";
import { readRunInput } from "../../core/agent/definition/read-run-input";
import { fitStep, type Step } from "../../core/agent/result/step";
import { isWaiting } from "../../core/agent/run/outcome";
import { type AgentRun, openRun } from "../../core/agent/run/run";
import { callableSpecs } from "../../core/agent/tools/run-tools";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { ok, type Result } from "../../core/base/failure";
import { conversationKey } from "../../core/base/ids";
import { readPauseRequest } from "../../core/base/input/read-pause-request";
import { hasTexts, isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { ToolSpec } from "../../core/calls/tool";
import { withoutEffects } from "../../core/effects/given-ledger";
import type { PackedLedger } from "../../core/effects/packed-ledger";
import { HANDED_BACK } from "../../core/journal/changes";
import { type JournalDecision, signedRecord } from "../../core/journal/decision-input";
import { renderMissionLogRows } from "../../core/journal/mission-log";
import { withoutRecords } from "../../core/journal/retry-of";
import type { RecordView } from "../../core/journal/view";
import { openReviews } from "../../core/review/decide";
import type { WaitingWork } from "../../core/review/inbox/inbox-entry";
import { termsWith } from "../../core/review/policy/terms";
import { withKind } from "../../core/review/recorded-kind";
import { isShown } from "../../core/review/refused-signals";
import type { AgentRunInput, AgentRunStatus, CarriedRun, Parked } from "../agent-run-input";
import { RunChain } from "../chain/run-chain";
import { checkedInput } from "../checked-input";
import { bySignal, DecisionVerifier } from "../decision-verifier";
import { effectLines } from "../effect-lines";
import { failedRun, valueOrReject } from "../failures";
import { historyIsFull, historyIsLong, IdleSignals, LONG_RUN_TASK_TIMEOUT_MS, ReplayCost } from "../history-limits";
import { type InboxChanges, ShownInbox } from "../inbox/shown-inbox";
import { usageMemo } from "../inbox/usage-memo";
import { listenForEffects } from "../listen-for-effects";
import * as messages from "../messages";
import { listenForDecisions, RequestedReviews, reviewBook, takenOrRefused } from "../reviews";
import { RunPause } from "../run-pause";
import { askingAttributes, ledgerAttributes, statusAttributes } from "../search-attributes";
import { invocationBegins, reportTurn } from "../telemetry/run-trace";
import { agentDetails } from "./agent-details";
import { WorkflowHost } from "./agent-host";
import { BlockedStatus } from "./blocked-status";
import { ownTreeBudget, type Payer, sharedTreeBudget } from "./budget";
import { CallSequences } from "./call-sequences";
import { CallsSideBySide } from "./calls-side-by-side";
import { fitInput, TOO_LONG } from "./continue-as-new-input";
import { Gate } from "./gate";
import { listenForStarts } from "./listen-for-starts";
import { carriedState, RunJournal } from "./run-journal";

/**
 * One agent run: the turn loop, its journal, and the waiting for people between invocations. The result is a Step. A run
 * that failed fails its workflow, with the Step as the details of the failure (docs/decisions/0015).
 */
export async function agentRun(raw: AgentRunInput): Promise<Step> {
  const input = checkedInput<AgentRunInput>(raw, readRunInput);
  const pause = new RunPause(input.carried?.pause);
  const inbox = new ShownInbox(shownBefore(input.carried));
  const blocked = new BlockedStatus(inbox, pause);
  // Before anything is waited for: a run that is blocked as it starts can be paused, too.
  pause.listen();
  listenToRunAbove(pause);
  const workflow = new AgentWorkflow(await withLookedUpTools(input, blocked), blocked, inbox, pause);
  workflow.listen();
  return workflow.run();
}

/** A signal of another sender that says nothing readable changes nothing. */
function listenToRunAbove(pause: RunPause): void {
  setHandler(messages.pauseSignal, (said) => {
    const read = readPauseRequest(said);
    if (read.ok) pause.followAbove({ ...read.value, at: typeof said.at === "number" ? said.at : Date.now() });
  });
  setHandler(messages.resumeSignal, () => pause.followAbove(undefined));
}

/** Bare tool names are looked up on the worker, once for the whole run. */
async function withLookedUpTools(input: AgentRunInput, blocked: BlockedStatus): Promise<AgentRunInput> {
  const names = input.agent.tools.filter((tool) => typeof tool === "string");
  if (names.length === 0) return input;
  const described = valueOrReject(await blocked.describedTools(names));
  const specs = new Map(described.map((spec) => [spec.name, spec]));
  const tools = input.agent.tools.map((tool) => (typeof tool === "string" ? (specs.get(tool) as ToolSpec) : tool));
  return { ...input, agent: { ...input.agent, tools } };
}

/** What the run that this one continues has published of what waits in it. */
function shownBefore(carried: CarriedRun | undefined): Partial<WaitingWork> {
  const parked = carried?.parked;
  return {
    reviews: openReviews(carried?.reviews.reviews ?? []).map(withKind),
    parked: parked ?? null,
  };
}

class AgentWorkflow {
  private readonly journal: RunJournal;
  private readonly chain: RunChain;
  private readonly host: WorkflowHost;
  private readonly sequences: CallSequences;
  private readonly reviews: RequestedReviews;
  private treeBudget: TreeBudget | undefined;
  private openReviews = 0;
  private agentRun: AgentRun;
  private state: AgentRunStatus["state"] = "running";
  private waiting: Json | undefined;
  private refusedSignals: number;
  /** NavigatorStatus was set, so it must be kept up to date. */
  private statusShown: boolean;
  private readonly idle = new IdleSignals();
  /** The history has become long while the run waits. */
  private mustMove = false;
  private readonly cost = new ReplayCost();
  private readonly verifier: DecisionVerifier;
  private readonly used: UsageMeter;

  constructor(
    private readonly input: AgentRunInput,
    private readonly blocked: BlockedStatus,
    private readonly inbox: ShownInbox,
    private readonly pause: RunPause,
  ) {
    const info = workflowInfo();
    const carried = input.carried;
    this.used = new UsageMeter(carried?.used);
    this.journal = new RunJournal(input, this.cost);
    const { carrier } = this.journal;
    this.verifier = new DecisionVerifier(() => carrier.isInLocalCall);
    const { reviews = [], count = 0, places } = carried?.reviews ?? {};
    this.chain = new RunChain((link) => carrier.add(link), carried?.chain, reviews);
    this.refusedSignals = carried?.refused_signals ?? 0;
    this.reviews = new RequestedReviews(reviewBook({ reviews, count }, input.requested_by), () => this.asked(), places);
    this.reviews.heard = () => this.chain.tick();
    this.reviews.pause = pause;
    this.statusShown = carried?.status_shown === true;
    this.openReviews = this.statusShown ? this.reviews.book.open().length : 0;
    const gate = new Gate(pause, blocked.calls);
    const { chain, cost, verifier } = this;
    /** Waits while a worker finds out who decided: see `DecisionVerifier`. */
    const local = <T>(call: () => Promise<T>): Promise<T> => {
      const begin = () => carrier.duringLocalCall(call);
      return verifier.isBusy ? condition(() => !verifier.isBusy).then(begin) : begin();
    };
    const sequences = new CallSequences({ input, carrier, chain, cost, local, standstill: () => gate.standstill() });
    this.sequences = sequences;
    const agent = input.agent.name ?? null;
    const sideBySide = new CallsSideBySide({
      ...{ carrier, chain, cost, agent, owner: input.owner },
      number: () => sequences.number(),
      pausedMs: () => gate.standstill().paused_ms,
    });
    this.host = new WorkflowHost({
      ...{ agent, gate, sequences, sideBySide, local },
      tools: callableSpecs(input.agent),
      carrier,
      chain: this.chain,
      cost: this.cost,
      reviews: this.reviews,
      blocked: blocked.calls,
      pause,
      payer: this.payer(),
      owner: input.owner,
      conversationKey: conversationKey(info.workflowId, info.runId),
      callsMade: carried?.model_calls ?? 0,
      treeCallsMade: carried?.tree_calls ?? input.tree_calls ?? 0,
      used: this.used,
    });
    this.host.invocation = carried?.invocation ?? 1;
    invocationBegins(this.host.invocation);
    // The id of the first run, and not a new one, so that readers of an open history know it, too.
    const trace_id = input.trace_id ?? info.firstExecutionRunId.replaceAll("-", "");
    const given = { ...input, trace_id };
    this.agentRun = openRun(this.host, given, carried && carriedState(carried));
    if (carried?.parked) this.agentRun.endedWith(carried.parked.waiting);
    this.journal.follow(this.agentRun, this.chain);
  }

  /** The budget for model calls: that of this run, or of the run at the root of the tree. */
  private payer(): Payer | undefined {
    const { budget, budget_root, carried } = this.input;
    if (budget_root !== undefined) return sharedTreeBudget(budget_root, () => this.refuseSignal());
    if (budget === undefined) return undefined;
    this.treeBudget = new TreeBudget(
      budget,
      (request) => this.reviews.request(termsWith(this.input.agent.people, request), undefined),
      carried?.tree_budget,
    );
    return ownTreeBudget(this.treeBudget, () => this.refuseSignal());
  }

  async run(): Promise<Step> {
    const step = await this.untilEnd();
    if (step.fail !== null) throw failedRun(step.fail, step as unknown as Json);
    return step;
  }

  private async untilEnd(): Promise<Step> {
    try {
      let parked = this.input.carried?.parked;
      for (;;) {
        if (parked === undefined) {
          const step = await this.untilStep();
          if (!this.shouldPark(step)) return await this.finish(step);
          parked = this.parked(step);
        }
        const end = await this.park(parked);
        if (end) return await this.finish(end);
        parked = undefined;
      }
    } catch (error) {
      if (isCancellation(error)) this.cancelled();
      // A cancelled run has no result that could carry what it recorded last.
      this.journal.carrier.write(isCancellation(error) ? this.usageMemo() : {});
      throw error;
    }
  }

  listen(): void {
    this.blocked.follow(
      () => this.show(),
      () => this.openReviews,
    );
    this.pause.follow(
      () => this.statusWithoutPause(),
      () => {
        if (this.pause.isOn) this.sequences.stop();
        this.chain.tick();
        this.show();
      },
    );
    setHandler(messages.journalQuery, () => this.journal.rows());
    setHandler(messages.wholeJournalQuery, () => this.journal.whole());
    setHandler(messages.recordsQuery, () => this.journal.records());
    listenForEffects(
      () => this.agentRun.ledger,
      () => this.refuseSignal(),
      (work) => this.sequences.whenClosed(work),
    );
    setHandler(messages.callsReportedSignal, (said) => {
      if (!this.sequences.reported(isObject(said) ? said.n : undefined)) this.refuseSignal();
    });
    setHandler(messages.missionLogQuery, () => renderMissionLogRows(this.journal.rows()));
    setHandler(messages.progressQuery, () => this.agentRun.progress());
    setHandler(messages.usageQuery, () => this.usage());
    setHandler(messages.stepQuery, () => this.agentRun.partialStep());
    setHandler(messages.statusQuery, () => this.status());
    const { verifier } = this;
    listenForDecisions(this.reviews, verifier, () => this.refuseSignal());
    listenForStarts(this.reviews);
    setHandler(messages.conversationQuery, () => this.host.conversation());
    const verified = async (decision: JournalDecision): Promise<Result<RecordView>> => {
      const verification = await verifier.verify(signedRecord(workflowInfo().workflowId, decision));
      return this.sequences.whenClosed(() => {
        const admitted = this.journal.admit(decision, verification);
        return admitted.ok ? ok(this.record(admitted.value)) : admitted;
      });
    };
    setHandler(
      messages.recordDecision,
      (raw) => {
        this.chain.tick();
        return verified(valueOrReject(this.journal.decision(raw))).then(valueOrReject);
      },
      { validator: (raw) => void valueOrReject(this.journal.decision(raw)) },
    );
    // A signal cannot be refused, so an invalid one is counted and shown; it does not fail the mission.
    setHandler(messages.recordDecisionSignal, (raw) => {
      this.chain.tick();
      if (!hasTexts(raw, ["id", "by"])) return this.refuseSignal();
      const said = this.journal.decision(raw);
      if (!said.ok) return this.refuseSignal();
      return takenOrRefused(verified(bySignal(said.value)), () => this.refuseSignal());
    });
  }

  private refuseSignal(): void {
    this.refusedSignals += 1;
    // A signal may come before the run is open.
    if ((this.agentRun as AgentRun | undefined) === undefined) return;
    if (isShown(this.refusedSignals)) this.show();
    if (!this.idle.add()) return;
    this.mustMove = true;
    this.agentRun.poke();
  }

  /** Lists and pages show how many reviews are open. */
  private asked(): void {
    this.chain.reviews(this.reviews.all());
    const reviews = this.reviews.book.open();
    const { attributes, memo } = this.inbox.change({ reviews });
    if (reviews.length !== this.openReviews || attributes.length > 0) {
      this.openReviews = reviews.length;
      this.statusShown = true;
      const held = this.pause.isOn ? "PAUSED" : this.blocked.first !== undefined ? "BLOCKED" : undefined;
      const asking = askingAttributes(reviews.length, held);
      upsertSearchAttributes([...asking, ...attributes, ...this.chain.attributes()]);
    }
    this.writeMemo(memo);
    this.show();
  }

  /** What the journal has to write rides on it. */
  private writeMemo(memo: InboxChanges["memo"]): void {
    if (Object.keys(memo).length > 0) this.journal.carrier.write({ ...memo, ...this.usageMemo() });
  }

  /** Turns until the run is over. Between turns it may continue as new, with everything it needs. */
  private async untilStep(): Promise<Step> {
    for (;;) {
      // What waits for people in the middle of a turn goes on waiting.
      if (this.pause.isOn && !this.agentRun.isOpen) await this.untilResumed();
      const [began, turn] = [Date.now(), this.agentRun.turnNumber];
      const step = await this.agentRun.turn();
      if (!this.agentRun.isOpen) reportTurn(turn, began);
      this.show();
      if (step !== null) return step;
      if (this.agentRun.isOpen && !this.host.mustContinueAsNew) {
        // It stopped in its middle for a pause alone.
        if (this.pause.isOn) await this.untilResumed();
        continue;
      }
      if (!this.agentRun.isOpen && !historyIsLong(this.cost)) continue;
      await this.continueAsNew();
      if (historyIsFull()) return this.agentRun.stop(TOO_LONG);
    }
  }

  /** Between two turns, or in the middle of one with nothing under way: also a paused run may continue as new. */
  private async untilResumed(): Promise<void> {
    while (this.pause.isOn) {
      await this.pause.over(() => this.mustMove);
      if (!this.mustMove) continue;
      this.mustMove = false;
      await this.continueAsNew();
    }
  }

  /** What it used so far, and the budget that it holds. */
  private usage(): messages.UsageAnswer {
    const budget = this.treeBudget;
    return {
      used: this.used.total(),
      budget: budget === undefined ? null : { ...budget.state(), reserved: budget.reserved() },
    };
  }

  private usageMemo(): { [field: string]: unknown } {
    return usageMemo(this.used.total(), this.agentRun.ledger.all());
  }

  private record(decision: JournalDecision): RecordView {
    const row = this.journal.record(decision);
    this.show();
    return row;
  }

  private shouldPark(step: Step): boolean {
    if (this.input.on_waiting === "return" || this.agentRun.journal === null || step.fail !== null) return false;
    return isWaiting(this.input.agent, step.return);
  }

  private parked(step: Step): Parked {
    const timeout = this.input.agent.wait_timeout_ms;
    return { waiting: step.return, since: Date.now(), until: timeout === null ? null : Date.now() + timeout };
  }

  /**
   * Waits, for days if needed, until somebody decides or the wait ends. Then the mission starts its next invocation with
   * its journal. Returns a Step only if the run can neither wait here any longer nor continue as new.
   */
  private async park(parked: Parked): Promise<Step | null> {
    this.state = "waiting";
    this.waiting = parked.waiting;
    this.sequences.forget();
    if (this.input.carried?.parked !== parked) {
      const { attributes, memo } = this.inbox.change({ parked });
      this.showStatus("WAITING", attributes);
      this.journal.writeForPeople({ ...memo, ...this.usageMemo() });
    }
    this.show();
    if (!(await this.untilDecided(parked))) return this.agentRun.reinvoked().stop(TOO_LONG);
    this.state = "running";
    this.waiting = undefined;
    const { attributes, memo } = this.inbox.change({ parked: null });
    this.showStatus("RUNNING", attributes);
    this.writeMemo(memo);
    this.host.invocation += 1;
    invocationBegins(this.host.invocation);
    this.journal.markSeen();
    this.agentRun = this.agentRun.reinvoked();
    if (historyIsLong(this.cost)) await this.continueAsNew();
    return null;
  }

  private async untilDecided(parked: Parked): Promise<boolean> {
    const over = () => this.journal.hasUnseenDecision || this.mustMove;
    for (;;) {
      if (parked.until === null) await condition(over);
      else if (!(await condition(over, Math.max(1, parked.until - Date.now())))) this.recordTimeout();
      if (this.journal.hasUnseenDecision) return true;
      this.mustMove = false;
      await this.continueAsNew(parked);
      if (historyIsFull()) return false;
    }
  }

  /** The mission must know that nobody answered, so the timer writes a record, as a person would. */
  private recordTimeout(): void {
    this.chain.tick();
    this.record({ id: `wait_timeout_${this.host.invocation}`, value: true, by: "timer" });
  }

  private async finish(step: Step): Promise<Step> {
    const { carrier } = this.journal;
    const ledger = await this.chain.signedEnd((call) => carrier.duringLocalCall(call));
    this.state = step.fail === null ? "completed" : "failed";
    const isShown = this.statusShown || this.blocked.shown || this.pause.shown;
    const status = step.fail !== null ? "FAILED" : isShown ? "COMPLETED" : undefined;
    const attributes = [
      ...(status === undefined ? [] : statusAttributes(status)),
      ...(ledger === undefined ? [] : ledgerAttributes(ledger)),
    ];
    if (attributes.length > 0) upsertSearchAttributes(attributes);
    const memo = this.usageMemo();
    // Not with what the journal has to write: that rides on the result.
    if (Object.keys(memo).length > 0) upsertMemo(memo);
    this.show(step);
    // The trace repeats the turns; clients derive it from them.
    const carried = { ...defined({ ledger }), ...this.handedBack(), ...carrier.forResult() };
    const room = MAX_PAYLOAD_BYTES - jsonBytes(carried as unknown as Json);
    return { ...fitStep({ ...step, trace: null }, room), ...carried };
  }

  /** The run that started this one has its effects in its own ledger from now on. */
  private handedBack(): { [HANDED_BACK]?: PackedLedger } {
    const { effects: given } = this.input;
    const effects = given === undefined || given.owned ? undefined : this.agentRun.handedBack();
    return effects === undefined ? {} : { [HANDED_BACK]: effects };
  }

  private cancelled(): void {
    this.state = "cancelled";
    if (this.statusShown || this.pause.shown) upsertSearchAttributes(statusAttributes("CANCELLED"));
    this.show();
  }

  private showStatus(status: string, more: InboxChanges["attributes"] = []): void {
    this.statusShown = true;
    upsertSearchAttributes([...statusAttributes(this.pause.shownAs(status)), ...more]);
  }

  private statusWithoutPause(): string {
    if (this.blocked.first !== undefined) return "BLOCKED";
    return this.state === "waiting" || this.openReviews > 0 ? "WAITING" : "RUNNING";
  }

  private status(): AgentRunStatus {
    const blocked = this.state === "running" ? this.blocked.first : undefined;
    const paused = this.state === "running" || this.state === "waiting" ? this.pause.on : undefined;
    const state =
      paused !== undefined
        ? "paused"
        : blocked !== undefined
          ? "blocked"
          : this.state === "running" && this.openReviews > 0
            ? "waiting"
            : this.state;
    return {
      // Nobody is waited for while the run finds out whether a decision counts.
      state: state === "waiting" && this.verifier.isBusy ? "running" : state,
      ...defined({ waiting: this.waiting, blocked, paused }),
      open_reviews: this.openReviews,
      turn: this.agentRun.turnNumber,
      invocation: this.host.invocation,
      refused_signals: this.refusedSignals,
    };
  }

  /** What the Temporal Web UI shows during the mission and after it. */
  private show(step?: Step): void {
    setCurrentDetails(
      agentDetails({
        status: this.status(),
        step,
        log: this.journal.shownLog(),
        progress: this.agentRun.progress(),
        effects: effectLines(this.agentRun.ledger.all()),
        reviews: this.reviews.book.all(),
        budget: this.treeBudget?.state(),
      }),
    );
  }

  /**
   * Returns only if the state is too large for one payload, or if a person has decided meanwhile and what follows is under
   * way. Then the run keeps its history.
   */
  private async continueAsNew(parked?: Parked): Promise<void> {
    await condition(allHandlersFinished);
    if (!this.agentRun.isPaused || (parked && this.journal.hasUnseenDecision)) return;
    // Nothing may happen between here and the end of the run: what is carried must be all.
    const carried: CarriedRun = {
      ...this.journal.carried(this.agentRun.state),
      ...this.chain.carried(),
      ...(this.statusShown || this.pause.shown ? { status_shown: true } : {}),
      ...this.pause.carried(),
      ...defined({ parked }),
      model_calls: this.host.callsMade,
      tree_calls: this.host.treeCallsMade,
      invocation: this.host.invocation,
      refused_signals: this.refusedSignals,
      reviews: this.reviews.state(),
      ...(this.treeBudget === undefined ? {} : { tree_budget: this.treeBudget.state() }),
      used: this.used.state(),
    };
    const next = fitInput({
      ...this.input,
      ...withoutEffects(this.input.effects),
      ...withoutRecords(this.input.retry),
      journal: null,
      carried,
    });
    if (!next) {
      this.idle.stay();
      return this.host.room.stay();
    }
    this.journal.carrier.write();
    const options = {
      workflowTaskTimeout: LONG_RUN_TASK_TIMEOUT_MS,
      memo: { ...this.journal.memo(), ...this.inbox.forNextRun(), ...this.usageMemo(), ...this.pause.memo() },
    };
    await makeContinueAsNewFunc<typeof agentRun>(options)(next);
  }
}
