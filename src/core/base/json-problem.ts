/** Programs, prompts and payload converters cannot process deeper values. */
const MAX_DEPTH = 200;

/** Why a value is not JSON that can be stored, sent and walked; undefined when it is. */
export function jsonProblem(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} levels deep`;
  if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "it is not JSON: a number must be finite";
  if (typeof value !== "object") return `it is not JSON: ${typeof value}`;
  // By tag, not by prototype: values come from other realms.
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (tag !== "Object" && tag !== "Array") return `it is not JSON: a ${tag}`;
  const items = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) {
    const problem = jsonProblem(item, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}
