import { condition, workflowInfo } from "@temporalio/workflow";
import { UsageMeter } from "../../core/agent/budget/mission-usage";
import { TreeBudget } from "../../core/agent/budget/tree-budget";
import { type AgentRun, openRun } from "../../core/agent/run/run";
import { callableSpecs } from "../../core/agent/tools/run-tools";
import { conversationKey } from "../../core/base/ids";
import { termsWith } from "../../core/review/policy/terms";
import type { AgentRunInput } from "../agent-run-input";
import { RunChain } from "../chain/run-chain";
import { DecisionVerifier } from "../decision-verifier";
import { HistoryBudget, ReplayCost } from "../history-limits";
import type { ShownInbox } from "../inbox/shown-inbox";
import { RequestedReviews, reviewBook } from "../reviews";
import type { RunPause } from "../run-pause";
import { invocationBegins } from "../telemetry/run-trace";
import { WorkflowHost } from "./agent-host";
import type { BlockedStatus } from "./blocked-status";
import { ownTreeBudget, type Payer, sharedTreeBudget } from "./budget";
import type { CallParts } from "./call-parts";
import { CallSequences } from "./call-sequences";
import { CallsSideBySide } from "./calls-side-by-side";
import { Gate } from "./gate";
import { AgentModelCalls } from "./model-calls";
import { continuedState, RunJournal } from "./run-journal";
import { AgentToolCalls } from "./tool-calls";

/** The parts of one agent run, connected with each other: its core, its host, its journal, its reviews and its budget. */
export class RunParts {
  readonly journal: RunJournal;
  readonly chain: RunChain;
  readonly reviews: RequestedReviews;
  readonly verifier: DecisionVerifier;
  readonly cost = new ReplayCost();
  readonly historyBudget = new HistoryBudget(this.cost);
  readonly used: UsageMeter;
  readonly sequences: CallSequences;
  readonly models: AgentModelCalls;
  readonly host: WorkflowHost;
  treeBudget: TreeBudget | undefined;
  /** That of the present invocation. */
  agentRun: AgentRun;
  refusedSignals: number;
  /** A review was opened, decided or changed. */
  reviewsChanged: () => void = () => {};
  /** A signal was refused. It may come before the run is open: then nobody follows. */
  signalRefused: () => void = () => {};

  constructor(
    readonly input: AgentRunInput,
    readonly blocked: BlockedStatus,
    readonly inbox: ShownInbox,
    readonly pause: RunPause,
  ) {
    const { carried } = input;
    this.used = new UsageMeter(carried?.used);
    this.journal = new RunJournal(input, this.cost);
    const { pendingChanges } = this.journal;
    this.verifier = new DecisionVerifier(() => pendingChanges.isInLocalCall);
    const { reviews = [], count = 0, places } = carried?.reviews ?? {};
    this.chain = new RunChain((link) => pendingChanges.add(link), carried?.chain, reviews);
    this.refusedSignals = carried?.refused_signals ?? 0;
    const book = reviewBook({ reviews, count }, input.requested_by);
    this.reviews = new RequestedReviews(book, () => this.reviewsChanged(), places);
    this.reviews.onDecision = () => this.chain.advanceClock();
    this.reviews.pause = pause;
    const calls = this.callParts();
    this.sequences = new CallSequences(input, calls);
    this.models = this.modelCalls(calls);
    this.host = this.workflowHost(calls);
    invocationBegins(this.host.invocation);
    this.agentRun = this.openedRun();
    this.journal.follow(this.agentRun, this.chain);
  }

  /** Somebody has reset the run: this history lacks the work of the earlier run after this point. */
  wasReset(): void {
    this.chain.reset();
    this.agentRun.ledger.doubtAll();
    this.reviews.renew();
  }

  refuseSignal(): void {
    this.refusedSignals += 1;
    this.signalRefused();
  }

  private callParts(): CallParts {
    const { input, pause, blocked, chain, cost, historyBudget, verifier } = this;
    const { pendingChanges } = this.journal;
    return {
      agent: input.agent.name ?? null,
      owner: input.owner,
      tools: new Map(callableSpecs(input.agent)),
      gate: new Gate(pause, blocked.calls),
      ...{ pendingChanges, chain, cost, historyBudget },
      /** Waits while a worker finds out who decided: see `DecisionVerifier`. */
      local: (call) => {
        const begin = () => pendingChanges.duringLocalCall(call);
        return verifier.isBusy ? condition(() => !verifier.isBusy).then(begin) : begin();
      },
    };
  }

  private modelCalls(calls: CallParts): AgentModelCalls {
    const { sequences, used } = this;
    const { carried, tree_calls = 0 } = this.input;
    const { workflowId, runId } = workflowInfo();
    return new AgentModelCalls(calls, {
      ...{ sequences, used },
      conversationKey: conversationKey(workflowId, runId),
      callsMade: carried?.model_calls ?? 0,
      treeCallsMade: carried?.tree_calls ?? tree_calls,
    });
  }

  private workflowHost(calls: CallParts): WorkflowHost {
    const { input, models, pause, reviews, sequences, used } = this;
    return new WorkflowHost(calls, {
      ...{ models, pause, reviews, sequences, used },
      tools: new AgentToolCalls(calls, sequences, new CallsSideBySide(calls, sequences)),
      blocked: this.blocked.calls,
      payer: this.payer(),
      invocation: input.carried?.invocation ?? 1,
    });
  }

  /** The budget for model calls: that of this run, or of the run at the root of the tree. */
  private payer(): Payer | undefined {
    const { budget, budget_root, carried, agent } = this.input;
    const refused = () => this.refuseSignal();
    if (budget_root !== undefined) return sharedTreeBudget(budget_root, refused);
    if (budget === undefined) return undefined;
    const ask: ConstructorParameters<typeof TreeBudget>[1] = (request) =>
      this.reviews.request(termsWith(agent.people, request), undefined);
    this.treeBudget = new TreeBudget(budget, ask, carried?.tree_budget);
    return ownTreeBudget(this.treeBudget, refused);
  }

  private openedRun(): AgentRun {
    const { carried } = this.input;
    // The id of the first run, and not a new one, so that readers of an open history know it, too.
    const trace_id = this.input.trace_id ?? workflowInfo().firstExecutionRunId.replaceAll("-", "");
    const run = openRun(this.host, { ...this.input, trace_id }, carried && continuedState(carried));
    if (carried?.parked) run.endedWith(carried.parked.waiting);
    return run;
  }
}
