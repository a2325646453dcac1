import { isObject } from "../core/is-object";

/** One thing that an answer does not hold: where, what was expected, and what is there. */
export interface Unmet {
  path: string;
  expected: unknown;
  found: unknown;
}

/** Everything in which an answer differs from what it must hold. Objects are compared by what the expectation says, the rest whole. */
export function unmet(expected: unknown, found: unknown, path = ""): Unmet[] {
  if (isObject(expected)) {
    const keys = Object.keys(expected);
    if (isObject(found))
      return keys.flatMap((key) =>
        unmet(expected[key], Object.hasOwn(found, key) ? found[key] : undefined, path === "" ? key : `${path}.${key}`),
      );
    return [{ path, expected, found }];
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found) || found.length !== expected.length) return [{ path, expected, found }];
    return expected.flatMap((item, i) => unmet(item, found[i], `${path}[${i}]`));
  }
  if (typeof expected === "string" && typeof found === "string" && isPart(expected, found)) return [];
  return Object.is(expected, found) ? [] : [{ path, expected, found }];
}

/** `...text...` stands for a text that holds it. */
function isPart(expected: string, found: string): boolean {
  const part = /^\.\.\.(.+)\.\.\.$/s.exec(expected)?.[1];
  return part !== undefined && found.includes(part);
}
