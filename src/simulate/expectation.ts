import { isObject } from "../core/base/is-object";

/** One unmet expectation: the place, the expected value, and the actual one. */
export interface Unmet {
  path: string;
  expected: unknown;
  found: unknown;
}

/**
 * Everything in which an answer differs from its expectation. Objects are compared by the fields of the expectation,
 * lists item by item, the rest whole; `...text...` is a text that contains it. An object of rules requires less or more
 * of a value: `{$lacks: text}` nowhere in it, `{$has: [items]}` among its items, `{$only: {...}}` these fields and no
 * others, `{$length: n}`, `{$type: number}`.
 */
export function unmet(expected: unknown, found: unknown, path = ""): Unmet[] {
  if (isObject(expected)) {
    const rules = Object.keys(expected).filter((key) => Object.hasOwn(RULES, key));
    if (!rules.every((rule) => RULES[rule]?.(expected[rule], found))) return [{ path, expected, found }];
    const keys = Object.keys(expected).filter((key) => !rules.includes(key));
    if (keys.length === 0 && rules.length > 0) return [];
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

const RULES: { [rule: string]: (wanted: unknown, found: unknown) => boolean } = {
  $lacks: (wanted, found) => [wanted].flat().every((text) => !(JSON.stringify(found) ?? "").includes(String(text))),
  $has: (wanted, found) =>
    Array.isArray(found) && [wanted].flat().every((item) => found.some((one) => unmet(item, one).length === 0)),
  $only: (wanted, found) =>
    isObject(wanted) &&
    isObject(found) &&
    Object.keys(found).every((key) => Object.hasOwn(wanted, key)) &&
    unmet(wanted, found).length === 0,
  $length: (wanted, found) => (Array.isArray(found) || typeof found === "string") && found.length === wanted,
  $type: (wanted, found) => typeof found === wanted,
};

/** `...text...` stands for a text that contains it. */
function isPart(expected: string, found: string): boolean {
  const part = /^\.\.\.(.+)\.\.\.$/s.exec(expected)?.[1];
  return part !== undefined && found.includes(part);
}
