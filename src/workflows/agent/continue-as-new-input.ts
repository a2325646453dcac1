import { jsonBytes } from "../../core/base/bytes";
import type { Failure } from "../../core/base/failure";
import type { Json } from "../../core/base/json";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import type { AgentRunInput, CarriedRun } from "../agent-run-input";

/** The input of a run that continues as new must fit into one payload. */

/** The failure of a run that can neither continue nor continue as new. */
export const TOO_LONG: Failure = {
  reason: "payload_too_large",
  message: `The run's history is nearly as long as a server takes, and what the run holds is more than the ${MAX_PAYLOAD_BYTES} bytes that may be carried into a new one.`,
};

/** The input of the next run, without the records of past turns if they are too large; null if it is still too large. */
export function fitInput(input: AgentRunInput & { carried: CarriedRun }): AgentRunInput | null {
  if (fits(input)) return input;
  const { state } = input.carried;
  const message = `The record of turns 1 to ${state.turn - 1} was left behind when the run continued as new: it was too large.`;
  const warnings = [...state.warnings, { code: "turns_dropped", message }];
  const light = { ...input, carried: { ...input.carried, state: { ...state, turns: [], warnings } } };
  return fits(light) ? light : null;
}

const fits = (input: AgentRunInput): boolean => jsonBytes(input as unknown as Json) <= MAX_PAYLOAD_BYTES;
