import { rulesOfReason } from "../../agent/result/run-reasons";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { joinLines } from "../../base/one-line";
import { shortened } from "../../base/whole-characters";

/** The call that caused a failure that does not name it: the tool or agent, and why the call failed, shortened. */
export interface FailedCall {
  tool: string;
  message: string;
}

const MESSAGE_CHARS = 200;

/**
 * The last call that failed in the turns of a Step, if the reason of the Step hides it, and no later call of the same tool went well.
 * A Step without its turns has the calls of its last program.
 *
 * @param step any result of a workflow
 */
export function failedCallOf(step: unknown): FailedCall | undefined {
  if (!isObject(step) || !isObject(step.fail) || !rulesOfReason(step.fail.reason).hides_call) return undefined;
  const calls = Array.isArray(step.turns) ? step.turns.flatMap(callsOf) : callsOf(step);
  const call = calls.findLast(({ error }) => typeof error === "string");
  if (call === undefined || calls.slice(calls.indexOf(call)).some(({ name, error }) => name === call.name && !error))
    return undefined;
  return { tool: String(call.name), message: shortened(joinLines(String(call.error)), MESSAGE_CHARS) };
}

const callsOf = (of: Json): { [field: string]: Json }[] =>
  isObject(of) && Array.isArray(of.tool_calls) ? of.tool_calls.filter(isObject) : [];

/** ` Last failed call: ship: the warehouse is closed`, or nothing. */
export const failedCallText = (call: FailedCall | undefined): string =>
  call === undefined ? "" : ` Last failed call: ${call.tool}: ${call.message}`;
