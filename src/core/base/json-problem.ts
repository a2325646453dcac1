/** Programs, prompts and payload converters cannot process deeper values. */
export const MAX_DEPTH = 200;

/** What is wrong with a text or value that nests too deep, in the words of every error about it. */
export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep`;

/**
 * Where a value nests too deep, as a path of at most 60 characters; undefined where it does not. It walks without host
 * recursion, so that it comes before everything that walks with it: schemas, checks, converters.
 */
export function tooDeepAt(value: unknown): string | undefined {
  if (!isNested(value)) return undefined;
  const open: { items: [string, unknown][]; next: number; key: string }[] = [
    { items: entriesOf(value), next: 0, key: "" },
  ];
  while (open.length > 0) {
    const top = open[open.length - 1] as (typeof open)[number];
    const item = top.items[top.next++];
    if (item === undefined) open.pop();
    else if (isNested(item[1])) {
      open.push({ items: entriesOf(item[1]), next: 0, key: item[0] });
      if (open.length > MAX_DEPTH + 1) return pathOf(open.slice(1, 20).map(({ key }) => key));
    }
  }
  return undefined;
}

const isNested = (value: unknown): value is object => typeof value === "object" && value !== null;

const entriesOf = (value: object): [string, unknown][] =>
  Object.entries(value).map(([key, item]) => [Array.isArray(value) ? `[${key}]` : `.${key}`, item]);

const pathOf = (keys: string[]): string => `${keys.join("").replace(/^\./, "").slice(0, 60)}...`;

/** Why a value is not JSON that can be stored, sent and walked; undefined when it is. */
export function jsonProblem(value: unknown, depth = 0): string | undefined {
  if (depth > MAX_DEPTH) return TOO_DEEP;
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
