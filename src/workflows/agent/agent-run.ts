import { isCancellation } from "@temporalio/workflow";
import { readRunInput } from "../../core/agent/definition/read-run-input";
import { fitStep, type Step } from "../../core/agent/result/step";
import { isWaiting } from "../../core/agent/run/outcome";
import { jsonBytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { ToolSpec } from "../../core/calls/tool";
import type { PackedLedger } from "../../core/effects/packed-ledger";
import { HANDED_BACK } from "../../core/journal/changes";
import { openReviews } from "../../core/review/decide";
import type { WaitingWork } from "../../core/review/inbox/inbox-entry";
import { withKind } from "../../core/review/recorded-kind";
import type { AgentRunInput, ContinuedRun, Parked } from "../agent-run-input";
import { checkedInput } from "../checked-input";
import { failedRun, valueOrReject } from "../failures";
import { historyIsFull, historyIsLong } from "../history-limits";
import { ShownInbox } from "../inbox/shown-inbox";
import { RunPause } from "../run-pause";
import { whenReset } from "../sdk/resets";
import { takeUnreadableSignals } from "../sdk/unreadable-signals";
import { invocationBegins, reportTurn } from "../telemetry/run-trace";
import { BlockedStatus } from "./blocked-status";
import { continueRunAsNew, TOO_LONG } from "./continue-as-new";
import { contradictionFailure } from "./contradiction";
import { handleMessages, handlePause } from "./handlers";
import { RunParts } from "./run-parts";
import { RunVisibility } from "./visibility";
import { RunWaits } from "./waiting";

/**
 * One agent run: the turn loop, its journal, and the waiting for people between invocations. The result is a Step. A run
 * that failed fails its workflow, with the Step as the details of the failure (docs/decisions/0015).
 */
export async function agentRun(raw: AgentRunInput): Promise<Step> {
  takeUnreadableSignals();
  const input = checkedInput<AgentRunInput>(raw, readRunInput);
  const pause = new RunPause(input.carried?.pause);
  const inbox = new ShownInbox(shownBefore(input.carried));
  const blocked = new BlockedStatus(inbox, pause);
  handlePause(pause);
  const parts = new RunParts(await withLookedUpTools(input, blocked), blocked, inbox, pause);
  return new AgentWorkflow(parts).execute();
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

/** The waiting work that the previous run has published. */
function shownBefore(carried: ContinuedRun | undefined): Partial<WaitingWork> {
  const parked = carried?.parked;
  return {
    reviews: openReviews(carried?.reviews.reviews ?? []).map(withKind),
    parked: parked ?? null,
  };
}

/** The turns of a run, its waits between them, and its end. */
class AgentWorkflow {
  private readonly visibility: RunVisibility;
  private readonly waits: RunWaits;

  constructor(private readonly run: RunParts) {
    const visibility = new RunVisibility(run);
    const waits = new RunWaits(run, visibility, (parked) => this.continueAsNew(parked));
    this.visibility = visibility;
    this.waits = waits;
    run.reviewsChanged = () => visibility.reviewsChanged();
    run.signalRefused = () => waits.signalRefused();
    visibility.follow(() => {
      if (run.pause.isOn) run.sequences.stop();
      run.chain.advanceClock();
    });
    handleMessages(run, visibility);
    whenReset(() => run.wasReset());
  }

  async execute(): Promise<Step> {
    const step = await Promise.race([this.untilEnd(), this.untilContradicted()]);
    if (step.fail !== null) throw failedRun(step.fail, step as unknown as Json);
    return step;
  }

  /** An activity has contradicted itself: the effects of its calls are unknown from now on. */
  private async untilContradicted(): Promise<Step> {
    const { sequences } = this.run;
    const calls = await sequences.contradiction.found;
    const { agentRun } = this.run;
    const fail = contradictionFailure(calls);
    agentRun.ledger.doubt(
      calls.flatMap(({ input }) => input?.idempotency_key ?? []),
      fail.message,
    );
    // Its last program may have returned something.
    return this.finish({ ...agentRun.stop(fail), return: null, fail });
  }

  private async untilEnd(): Promise<Step> {
    try {
      let parked = this.run.input.carried?.parked;
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
      if (isCancellation(error)) this.visibility.cancelled();
      // A cancelled run has no result that could carry what it recorded last.
      this.run.journal.pendingChanges.write(isCancellation(error) ? this.visibility.usageMemo() : {});
      throw error;
    }
  }

  /** Turns until the run is over. Between turns it may continue as new, with everything it needs. */
  private async untilStep(): Promise<Step> {
    const { cost, host, pause, sequences } = this.run;
    for (;;) {
      const { agentRun } = this.run;
      // A call that waits for people in the middle of a turn keeps waiting.
      if (pause.isOn && !agentRun.isOpen) await this.waits.untilResumed();
      const [began, turn] = [Date.now(), agentRun.turnNumber];
      const step = await agentRun.turn();
      const unfinished = sequences.untilOver();
      if (unfinished !== undefined) await unfinished;
      if (!agentRun.isOpen) reportTurn(turn, began);
      this.visibility.show();
      if (step !== null) return step;
      if (agentRun.isOpen && !host.mustContinueAsNew) {
        // It stopped in its middle for a pause alone.
        if (pause.isOn) await this.waits.untilResumed();
        continue;
      }
      if (!agentRun.isOpen && !historyIsLong(cost)) continue;
      await this.continueAsNew();
      if (historyIsFull()) return agentRun.stop(TOO_LONG);
    }
  }

  private shouldPark(step: Step): boolean {
    const { input, agentRun } = this.run;
    if (input.on_waiting === "return" || agentRun.journal === null || step.fail !== null) return false;
    return isWaiting(input.agent, step.return);
  }

  private parked(step: Step): Parked {
    const timeout = this.run.input.agent.wait_timeout_ms;
    return { waiting: step.return, since: Date.now(), until: timeout === null ? null : Date.now() + timeout };
  }

  /**
   * Waits until a person decides or the wait ends. Then the mission starts its next invocation with its journal. Returns a Step only
   * if the run can neither wait here any longer nor continue as new.
   */
  private async park(parked: Parked): Promise<Step | null> {
    const { run, visibility } = this;
    run.sequences.forget();
    visibility.parked(parked, run.input.carried?.parked !== parked);
    if (!(await this.waits.untilDecided(parked))) return run.agentRun.reinvoked().stop(TOO_LONG);
    visibility.continued();
    run.host.invocation += 1;
    invocationBegins(run.host.invocation);
    run.journal.markSeen();
    run.agentRun = run.agentRun.reinvoked();
    if (historyIsLong(run.cost)) await this.continueAsNew();
    return null;
  }

  private async finish(step: Step): Promise<Step> {
    const { chain, journal } = this.run;
    const ledger = await chain.signedEnd((call) => journal.pendingChanges.duringLocalCall(call));
    this.visibility.ended(step, ledger);
    // The trace repeats the turns; clients derive it from them.
    const more = { ...defined({ ledger }), ...this.handedBack(), ...journal.pendingChanges.forResult() };
    const left = MAX_PAYLOAD_BYTES - jsonBytes(more as unknown as Json);
    return { ...fitStep({ ...step, trace: null }, left), ...more };
  }

  /** The run that started this one has its effects in its own ledger from now on. */
  private handedBack(): { [HANDED_BACK]?: PackedLedger } {
    const { effects: given } = this.run.input;
    const effects = given === undefined || given.owned ? undefined : this.run.agentRun.handedBack();
    return effects === undefined ? {} : { [HANDED_BACK]: effects };
  }

  /** Returns if the run cannot continue as new: then it keeps its history. */
  private async continueAsNew(parked?: Parked): Promise<void> {
    if ((await continueRunAsNew(this.run, this.visibility, parked)) === "busy") return;
    this.waits.stay();
    this.run.historyBudget.stay();
  }
}
