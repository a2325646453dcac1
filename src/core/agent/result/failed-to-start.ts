import type { Failure } from "../../base/failure";
import type { Step } from "./step";

/** The Step of a run that left none: it could not be started, or it was ended from outside. */
export function lostStep(name: string, fail: Failure): Step {
  return {
    return: null,
    fail,
    memory: {},
    journal: null,
    summaries: {},
    signature: null,
    usage: null,
    turns: null,
    trace: null,
    trace_id: "",
    parent_trace_id: null,
    name,
    field_descriptions: null,
    prints: [],
    tool_calls: [],
    pmap_calls: [],
    child_traces: [],
    child_steps: [],
    messages: null,
    prompt: null,
    original_prompt: null,
    tools: null,
    tool_cache: {},
    warnings: [],
  };
}
