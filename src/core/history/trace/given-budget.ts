import { isObject } from "../../base/is-object";
import type { Json, JsonObject } from "../../base/json";

/** What a workflow and everything below it may use, by the input with which it was started; null = it has no limit. */
export function givenBudget(input: Json | undefined): JsonObject | null {
  const { budget, options } = isObject(input) ? input : ({} as JsonObject);
  if (isObject(budget)) return budget;
  return isObject(options) && isObject(options.budget) ? options.budget : null;
}
