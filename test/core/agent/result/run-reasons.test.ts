import { RUN_REASONS, rulesOfReason } from "../../../../src/core/agent/result/run-reasons";
import { ERROR_CODES } from "../../../../src/core/base/error-codes";

/** The reasons with which a run ends, and their rules. */

test("every reason is a code of the error table", () =>
  expect(Object.keys(RUN_REASONS).filter((reason) => !Object.hasOwn(ERROR_CODES, reason))).toEqual([]));

test.each([
  ["mission_timeout", { counted: true, final: true, hides_call: true }],
  ["budget_exhausted", { out_of_turns: true }],
  ["listener_not_found", { unasked: true, final: true }],
  ["tool_error", {}],
  ["no_stock", {}],
  ["constructor", {}],
  [undefined, {}],
])("%s has the rules %j", (reason, rules) => expect(rulesOfReason(reason)).toEqual(rules));
