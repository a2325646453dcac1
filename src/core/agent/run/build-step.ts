import type { Failure } from "../../base/failure";
import type { Json } from "../../base/json";
import type { Journal } from "../../journal/journal";
import { tokenUsage } from "../budget/token-counts";
import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import { type Step, traceOf, type Usage } from "../result/step";
import { toolSpecs } from "../tools/run-tools";
import type { RunMemory } from "./run-memory";
import type { AgentState } from "./state";

/** The state of a run. */
interface RunSnapshot {
  /** Ms since 1970. */
  now: number;
  input: AgentInput;
  state: AgentState;
  memory: RunMemory;
  journal: Journal | null;
  /** The system prompt sent last; "" before the first turn. */
  system: string;
}

interface RunEnd {
  value: Json;
  fail: Failure | null;
  started_turns: number;
  extra?: Partial<Usage>;
}

/**
 * Builds the Step of a run. Every end contains everything that the run has gathered (agent reference, sections 9.3 and
 * 11.1).
 */
export function buildStep(run: RunSnapshot, end: RunEnd): Step {
  const { input, state, memory } = run;
  const { agent } = input;
  const trace = input.trace ?? true;
  const turns = trace === true || (trace === "on_error" && end.fail !== null) ? state.turns : null;
  return {
    return: end.value,
    fail: end.fail,
    memory: memory.describe(),
    journal: run.journal?.toJson() ?? null,
    summaries: Object.fromEntries(memory.summaries),
    signature: agent.signature ?? null,
    usage: usageOf(run, end),
    turns,
    trace: turns === null ? null : traceOf(turns),
    trace_id: state.trace_id,
    parent_trace_id: input.parent_trace_id ?? null,
    name: agent.name ?? null,
    field_descriptions: end.fail === null ? (agent.field_descriptions ?? null) : null,
    ...state.last_program,
    child_traces: state.child_steps.map((child) => child.trace_id),
    child_steps: state.child_steps,
    messages: input.collect_messages ? [{ role: "system", content: run.system }, ...state.messages] : null,
    prompt: state.prompt,
    original_prompt: agent.prompt,
    tools: shownTools(agent),
    tool_cache: Object.fromEntries(memory.toolCache),
    warnings: state.warnings,
  };
}

const usageOf = ({ now, state, memory, system }: RunSnapshot, end: RunEnd): Usage => ({
  duration_ms: now - state.started_at,
  memory_bytes: memory.bytes(),
  turns: end.started_turns,
  ...tokenUsage(state.tokens, system === "" ? null : system),
  ...end.extra,
});

const shownTools = (agent: AgentDefinition): Step["tools"] =>
  Object.fromEntries(
    toolSpecs(agent).map(({ name, signature, description }) => [
      name,
      { signature: signature ?? null, description: description ?? null },
    ]),
  );
