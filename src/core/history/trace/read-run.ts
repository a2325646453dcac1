import type { AgentDefinition } from "../../agent/definition/definition";
import type { Step } from "../../agent/result/step";
import { isStep } from "../../agent/run/chain";
import { decodePayloads, endResultOf, endStateOf, type HistoryEvent } from "../../base/history-event";
import { toolOfRun } from "../../base/ids";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { readHistory } from "../read/history";
import {
  agentFacts,
  answerFacts,
  childFacts,
  failureFacts,
  localCall,
  MAX_ARGS_BYTES,
  nameInSummary,
  saysParked,
} from "./event-facts";
import { closeSpan, newSpan, type Span, type TurnSpan } from "./span";
import { shortenedTo } from "./summarise";
import { TurnReader } from "./turn-reader";

/** One workflow as its histories show it: the run of an agent, or a workflow that starts such runs. */
export interface ReadRun {
  workflow_id: string;
  workflow_type: string;
  trace_id: string;
  depth: number;
  over: boolean;
  run: Span;
  /** In order. A run that a decision woke starts again with turn 1. */
  turns: TurnSpan[];
  /** Calls of agents, by the workflow id of their run. */
  calls: Map<string, Span>;
  step: Step | null;
}

/**
 * @param runs histories of one workflow that continued as new, oldest first; of any other its only one
 * @throws HistoryFormatError for what is no history
 */
export function readRun(runs: readonly unknown[]): ReadRun | null {
  let reader: RunReader | undefined;
  for (const [index, history] of runs.entries())
    for (const event of readHistory(history)) {
      if (reader === undefined && event.type === "WorkflowExecutionStarted") reader = new RunReader(event);
      reader?.read(event, index);
    }
  return reader?.result() ?? null;
}

class RunReader {
  private readonly run: Span;
  private readonly isAgent: boolean;
  private readonly id: string;
  private readonly input: JsonObject;
  private readonly turns: TurnReader;
  private readonly open = new Map<string, Span>();
  private readonly calls = new Map<string, Span>();
  private readonly runId: string;
  private step: Step | null = null;
  private over = false;
  private history = 0;

  constructor(started: HistoryEvent) {
    const { workflowType, workflowId, firstExecutionRunId, originalExecutionRunId, input } = started.attributes;
    const type = isObject(workflowType) ? String(workflowType.name) : "";
    this.isAgent = type === "agentRun";
    this.id = typeof workflowId === "string" ? workflowId : "";
    this.runId = String(firstExecutionRunId || originalExecutionRunId || this.id);
    const given = decodePayloads(input);
    this.input = isObject(given) ? given : {};
    const agent = isObject(this.input.agent) ? (this.input.agent as unknown as AgentDefinition) : null;
    const { context } = this.input;
    this.run = newSpan("run", "run", started.at, {
      workflow_type: type,
      ...(this.isAgent ? { agent: agent && agentFacts(agent), context } : {}),
    });
    this.turns = new TurnReader(this.run, agent, this.input);
  }

  read(event: HistoryEvent, history: number): void {
    if (history !== this.history) this.open.clear();
    this.history = history;
    const ending = endStateOf(event.type);
    if (ending !== undefined) this.close(event, ending === "completed" ? "ok" : ending);
    else if (this.isAgent) this.readers[event.type]?.(event);
  }

  result(): ReadRun {
    return {
      workflow_id: this.id,
      workflow_type: String(this.run.opened.metadata.workflow_type),
      trace_id: this.traceId(),
      depth: typeof this.input.depth === "number" ? this.input.depth : 0,
      over: this.over,
      run: this.run,
      turns: this.turns.withRecords(),
      calls: this.calls,
      step: this.step,
    };
  }

  /** The same rule as in the run itself. */
  private traceId(): string {
    const { trace_id } = this.input;
    return typeof trace_id === "string" ? trace_id : this.runId.replaceAll("-", "");
  }

  private readonly readers: { [type: string]: (event: HistoryEvent) => void } = {
    WorkflowExecutionStarted: (e) => {
      const input = decodePayloads(e.attributes.input);
      this.turns.started(e, isObject(input) ? input : {});
    },
    ActivityTaskScheduled: (e) => this.scheduled(e),
    ActivityTaskStarted: (e) => {
      const attempt = Number(e.attributes.attempt ?? 1);
      if (attempt > 1) this.opened(e.attributes.scheduledEventId, (span) => noteAttempts(span, attempt));
    },
    ActivityTaskCompleted: (e) =>
      this.opened(e.attributes.scheduledEventId, (span) =>
        this.answered(span, e.at, decodePayloads(e.attributes.result)),
      ),
    ActivityTaskFailed: (e) => this.failed(e, e.attributes.scheduledEventId),
    ActivityTaskTimedOut: (e) => this.failed(e, e.attributes.scheduledEventId),
    ActivityTaskCanceled: (e) => this.failed(e, e.attributes.scheduledEventId),
    MarkerRecorded: (e) => this.local(e),
    StartChildWorkflowExecutionInitiated: (e) => this.childAsked(e),
    ChildWorkflowExecutionStarted: (e) => this.opened(e.attributes.initiatedEventId, (span) => noteChild(span, e)),
    StartChildWorkflowExecutionFailed: (e) => this.failed(e, e.attributes.initiatedEventId),
    ChildWorkflowExecutionCompleted: (e) =>
      this.opened(e.attributes.initiatedEventId, (span) => closeSpan(span, e.at, childFacts(endResultOf(e)))),
    ChildWorkflowExecutionFailed: (e) =>
      this.opened(e.attributes.initiatedEventId, (span) => {
        const step = endResultOf(e);
        closeSpan(span, e.at, isStep(step) ? childFacts(step) : failureFacts(e));
      }),
    ChildWorkflowExecutionTimedOut: (e) => this.failed(e, e.attributes.initiatedEventId),
    ChildWorkflowExecutionCanceled: (e) => this.failed(e, e.attributes.initiatedEventId),
    ChildWorkflowExecutionTerminated: (e) => this.failed(e, e.attributes.initiatedEventId),
    WorkflowExecutionContinuedAsNew: (e) => this.turns.close(e.at),
    UpsertWorkflowSearchAttributes: (e) => {
      if (saysParked(e)) this.turns.parked(e.at);
    },
  };

  private opened(id: Json | undefined, then: (span: Span) => void): void {
    const span = this.open.get(String(id));
    if (span) then(span);
  }

  private scheduled(event: HistoryEvent): void {
    const type = isObject(event.attributes.activityType) ? event.attributes.activityType.name : "";
    const input = decodePayloads(event.attributes.input);
    const call = isObject(input) ? input : {};
    const key = this.keyOf(event);
    if (type === "callModel") this.open.set(String(event.id), this.turns.modelAsked(event, key, call));
    if (type !== "callTool") return;
    const { name, args, task, idempotency_key } = call;
    const tool = newSpan("tool", key, event.at, {
      tool_name: typeof name === "string" ? name : nameInSummary(event),
      args: args === undefined ? undefined : shortenedTo(args, MAX_ARGS_BYTES),
      task: task ?? undefined,
      idempotency_key,
    });
    this.turns.current().children.push(tool);
    this.open.set(String(event.id), tool);
  }

  private answered(span: Span, at: number, answer: Json | undefined): void {
    if (span.kind === "llm") this.turns.modelAnswered(span, at, answer);
    else closeSpan(span, at, answerFacts(answer));
  }

  private failed(event: HistoryEvent, opener: Json | undefined): void {
    this.opened(opener, (span) => closeSpan(span, event.at, failureFacts(event)));
  }

  /** A read as a local activity: its marker has the result and the time, but no duration and no arguments. */
  private local(event: HistoryEvent): void {
    const call = localCall(event);
    if (call === null) return;
    const parent = this.turns.current();
    const tool = newSpan("tool", this.keyOf(event), Math.max(call.at, parent.start), {
      tool_name: nameInSummary(event),
    });
    tool.timed = false;
    closeSpan(tool, tool.start, call.facts, call.attempts > 1 ? { attempts: call.attempts } : {});
    parent.children.push(tool);
  }

  /** An agent as a tool. */
  private childAsked(event: HistoryEvent): void {
    const id = String(event.attributes.workflowId);
    const input = decodePayloads(event.attributes.input);
    const args = isObject(input) ? input.context : undefined;
    const tool = newSpan("tool", this.keyOf(event), event.at, {
      tool_name: toolOfRun(this.id, id),
      args: args === undefined ? undefined : shortenedTo(args, MAX_ARGS_BYTES),
      child_workflow_id: id,
    });
    this.turns.current().children.push(tool);
    this.open.set(String(event.id), tool);
    this.calls.set(id, tool);
  }

  private close(event: HistoryEvent, ending: string): void {
    const result = endResultOf(event);
    this.step = this.isAgent && isStep(result) ? result : null;
    this.over = true;
    this.turns.ended(event.at, this.step);
    const { step } = this;
    const status = step?.fail ? "failed" : ending;
    const outcome =
      step === null
        ? {}
        : {
            return: step.return,
            fail: step.fail as unknown as Json,
            usage: step.usage as unknown as Json,
            ...(step.warnings.length === 0 ? {} : { warnings: step.warnings }),
          };
    closeSpan(this.run, event.at, {
      status,
      ...outcome,
      ...(ending === "ok" || step !== null ? {} : failureFacts(event)),
    });
  }

  private keyOf(event: HistoryEvent): string {
    return `event/${this.history}.${event.id}`;
  }
}

function noteAttempts(span: Span, attempts: number): void {
  span.closed.measurements.attempts = attempts;
}

/** Until the child reports its own id at its end. */
function noteChild(span: Span, event: HistoryEvent): void {
  const { workflowExecution } = event.attributes;
  const runId = isObject(workflowExecution) ? workflowExecution.runId : undefined;
  if (typeof runId === "string") span.closed.metadata.child_trace_id = runId.replaceAll("-", "");
}
