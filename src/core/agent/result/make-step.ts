import type { Failure } from "../../base/failure";
import type { Json } from "../../base/json";
import type { Step } from "./step";

/**
 * Makes a successful Step, for tests and for chains that begin with given data (agent reference, section 11.1).
 *
 * @param value what the run returned
 * @param fields other fields of the Step; those not given are empty
 */
export const okStep = (value: Json, fields: Partial<Omit<Step, "return" | "fail">> = {}): Step => ({
  ...EMPTY(),
  ...fields,
  return: value,
});

/**
 * A failed Step (agent reference, section 11.1): also what stands for a run that left none, because it could not be
 * started or was ended from outside.
 *
 * @param fail why it failed: `{reason, message, details?}`
 * @param fields other fields of the Step; those not given are empty
 */
export const failedStep = (fail: Failure, fields: Partial<Omit<Step, "return" | "fail">> = {}): Step => ({
  ...EMPTY(),
  ...fields,
  fail,
});

const EMPTY = (): Step => ({
  return: null,
  fail: null,
  memory: {},
  journal: null,
  summaries: {},
  signature: null,
  usage: null,
  turns: null,
  trace: null,
  trace_id: "",
  parent_trace_id: null,
  name: null,
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
});
