import type { AgentDefinition } from "../../agent/definition/definition";
import type { Step } from "../../agent/result/step";
import { isStep } from "../../agent/run/chain";
import { toolOfRun } from "../../base/ids";
import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";
import { type FactOf, type FactReaders, type HistoryFact, readFact } from "../read/facts";
import { readHistory } from "../read/history";
import {
  agentFacts,
  answerFacts,
  childFacts,
  failureFacts,
  MAX_ARGS_BYTES,
  nameInSummary,
  showsParked,
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
    for (const fact of readHistory(history)) {
      if (reader === undefined && fact.kind === "started") reader = new RunReader(fact);
      reader?.read(fact, index);
    }
  return reader?.result() ?? null;
}

class RunReader {
  private readonly run: Span;
  private readonly isAgent: boolean;
  private readonly id: string;
  private readonly input: JsonObject;
  private readonly turns: TurnReader;
  private readonly open = new Map<number, Span>();
  private readonly calls = new Map<string, Span>();
  private readonly runId: string;
  private step: Step | null = null;
  private over = false;
  private history = 0;

  constructor({ workflow_type, workflow_id, first_run_id, run_id, input = {}, at }: FactOf<"started">) {
    this.isAgent = workflow_type === "agentRun";
    this.id = workflow_id;
    this.runId = first_run_id || run_id || workflow_id;
    this.input = input;
    const agent = isObject(input.agent) ? (input.agent as unknown as AgentDefinition) : null;
    this.run = newSpan("run", "run", at, {
      workflow_type,
      ...(this.isAgent ? { agent: agent && agentFacts(agent), context: input.context } : {}),
    });
    this.turns = new TurnReader(this.run, agent, input);
  }

  read(fact: HistoryFact, history: number): void {
    if (history !== this.history) this.open.clear();
    this.history = history;
    if (fact.kind === "ended") this.close(fact);
    else if (this.isAgent) readFact(this.readers, fact);
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

  private readonly readers: FactReaders<void> = {
    started: (fact) => this.turns.started(fact),
    activity_scheduled: (fact) => this.scheduled(fact),
    activity_started: ({ call, attempt }) => {
      const span = this.open.get(call);
      if (span && attempt > 1) span.closed.measurements.attempts = attempt;
    },
    activity_ended: ({ call, at, outcome, result, failure }) => {
      const span = this.open.get(call);
      if (span === undefined) return;
      if (outcome === "completed") this.answered(span, at, result);
      else closeSpan(span, at, failureFacts(outcome, failure));
    },
    local_activity: (fact) => this.local(fact),
    child_asked: (fact) => this.childAsked(fact),
    // Until the child reports its own id at its end.
    child_started: ({ call, run_id }) => {
      const span = this.open.get(call);
      if (span && run_id !== "") span.closed.metadata.child_trace_id = run_id.replaceAll("-", "");
    },
    child_ended: ({ call, at, outcome, result, failure, cause }) => {
      const span = this.open.get(call);
      const hasStep = outcome === "completed" || (outcome === "failed" && isStep(result));
      if (span) closeSpan(span, at, hasStep ? childFacts(result) : failureFacts(outcome, failure, cause));
    },
    continued_as_new: ({ at }) => this.turns.close(at),
    attributes_changed: (fact) => {
      if (showsParked(fact)) this.turns.parked(fact.at);
    },
  };

  private scheduled(fact: FactOf<"activity_scheduled">): void {
    const { id, at, activity, input = {} } = fact;
    const key = this.keyOf(fact);
    if (activity === "callModel") this.open.set(id, this.turns.modelAsked(fact, key, input));
    if (activity !== "callTool") return;
    const { name, args, task, idempotency_key } = input;
    const tool = newSpan("tool", key, at, {
      tool_name: typeof name === "string" ? name : nameInSummary(fact),
      args: args === undefined ? undefined : shortenedTo(args, MAX_ARGS_BYTES),
      task: task ?? undefined,
      idempotency_key,
    });
    this.turns.current().children.push(tool);
    this.open.set(id, tool);
  }

  private answered(span: Span, at: number, answer: Json | undefined): void {
    if (span.kind === "llm") this.turns.modelAnswered(span, at, answer);
    else closeSpan(span, at, answerFacts(answer));
  }

  /** A read as a local activity: its marker has the result and the time, but no duration and no arguments. */
  private local(fact: FactOf<"local_activity">): void {
    const { activity, at, completed_at = at, attempt, answer, failure } = fact;
    if (activity !== "callTool") return;
    const parent = this.turns.current();
    const tool = newSpan("tool", this.keyOf(fact), Math.max(completed_at, parent.start), {
      tool_name: nameInSummary(fact),
    });
    tool.timed = false;
    const facts = failure === undefined ? answerFacts(answer) : failureFacts("failed", failure);
    closeSpan(tool, tool.start, facts, attempt > 1 ? { attempts: attempt } : {});
    parent.children.push(tool);
  }

  /** An agent as a tool. */
  private childAsked(fact: FactOf<"child_asked">): void {
    const { id, at, workflow_id, input = {} } = fact;
    const { context: args } = input;
    const tool = newSpan("tool", this.keyOf(fact), at, {
      tool_name: toolOfRun(this.id, workflow_id),
      args: args === undefined ? undefined : shortenedTo(args, MAX_ARGS_BYTES),
      child_workflow_id: workflow_id,
    });
    this.turns.current().children.push(tool);
    this.open.set(id, tool);
    this.calls.set(workflow_id, tool);
  }

  private close({ at, state, result, failure }: FactOf<"ended">): void {
    const step = this.isAgent && isStep(result) ? result : null;
    this.step = step;
    this.over = true;
    this.turns.ended(at, step);
    const ending = state === "completed" ? "ok" : state;
    const outcome =
      step === null
        ? {}
        : {
            return: step.return,
            fail: step.fail as unknown as Json,
            usage: step.usage as unknown as Json,
            ...(step.warnings.length === 0 ? {} : { warnings: step.warnings }),
          };
    closeSpan(this.run, at, {
      status: step?.fail ? "failed" : ending,
      ...outcome,
      ...(state === "completed" || step !== null ? {} : failureFacts(state, failure)),
    });
  }

  private keyOf({ id }: HistoryFact): string {
    return `event/${this.history}.${id}`;
  }
}
