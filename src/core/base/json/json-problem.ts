import { cutText } from "../whole-characters";

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

const pathOf = (keys: string[]): string => `${cutText(keys.join("").replace(/^\./, ""), 60)}...`;

/** No payload has more values; the parts of a value may be shared so often that it never ends. */
const MAX_VALUES = 1_000_000;

/** The first place of a value that JSON cannot represent, or would change silently. */
export interface JsonFault {
  /** As in `items[2].due`; "" = the value itself. */
  path: string;
  message: string;
}

/** Why a value is not JSON that can be stored, sent and walked, with its place; undefined when it is. */
export function jsonProblem(value: unknown): string | undefined {
  const fault = jsonFault(value);
  return fault && (fault.path === "" ? fault.message : `${fault.message} (at ${fault.path})`);
}

/**
 * Finds values that JSON cannot represent (NaN, bigint, functions, circles), or would change silently: a Date to a text, a
 * Map to an empty object, undefined to nothing.
 *
 * @param options `omitUndefined`: fields that are undefined count as not given, as in options. `exactIntegers`: an integer
 *   beyond 2^53 is refused, too: it is another one than what was written. `levels`: how deep it may be nested
 */
export function jsonFault(
  value: unknown,
  { omitUndefined = false, exactIntegers = false, levels = MAX_DEPTH } = {},
): JsonFault | undefined {
  const found = new Search(omitUndefined, exactIntegers, levels).faultIn(value);
  return found && { path: cutText(found.path.reverse().join("").replace(/^\./, ""), 200), message: found.message };
}

/** The path is built only when something is found, innermost part first. */
interface Found {
  path: string[];
  message: string;
}

class Search {
  private readonly above = new Set<object>();
  private values = 0;

  constructor(
    private readonly omitUndefined: boolean,
    private readonly exactIntegers: boolean,
    private readonly levels: number,
  ) {}

  faultIn(value: unknown): Found | undefined {
    this.values += 1;
    if (value === null || typeof value === "string" || typeof value === "boolean") return undefined;
    if (typeof value === "number") {
      if (!Number.isFinite(value)) return fault(`it is not JSON: ${value}; a number must be finite`);
      return this.exactIntegers && isRounded(value) ? fault(ROUNDED) : undefined;
    }
    if (typeof value !== "object") return fault(`it is not JSON: ${typeof value}${INSTEAD[typeof value] ?? ""}`);
    if (this.above.has(value)) return fault("it is not JSON: it contains itself");
    if (this.above.size >= this.levels) return fault(TOO_DEEP);
    if (this.values > MAX_VALUES) return fault(`it has more than ${MAX_VALUES} values`);
    const kind = kindOf(value);
    if (kind !== undefined) return fault(`it is not JSON: a ${kind}${INSTEAD[kind] ?? ""}`);
    this.above.add(value);
    const found = Array.isArray(value) ? this.inList(value) : this.inObject(value);
    this.above.delete(value);
    return found;
  }

  private inList(list: readonly unknown[]): Found | undefined {
    for (let i = 0; i < list.length; i++) {
      const found = this.faultIn(list[i]);
      if (found) return { ...found, path: [...found.path, `[${i}]`] };
    }
    return undefined;
  }

  private inObject(object: object): Found | undefined {
    // JSON leaves out properties that are not enumerable, and so does code that lists or copies the object.
    if (Object.getOwnPropertySymbols(object).some((key) => isEnumerable(object, key) && !isOwnMark(key)))
      return fault("it is not JSON: a key is a symbol");
    for (const [key, item] of Object.entries(object)) {
      if (item === undefined && this.omitUndefined) continue;
      const found = this.faultIn(item);
      if (found) return { ...found, path: [...found.path, placeOf(key)] };
    }
    return undefined;
  }
}

const fault = (message: string): Found => ({ path: [], message });

/** Whether JSON writes the number in digits alone, and they may not be those that were read. */
const isRounded = (value: number): boolean =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;

const ROUNDED = "it is an integer beyond 2^53, which JSON numbers do not keep exactly; pass it as text";

const INSTEAD: { [kind: string]: string } = {
  undefined: "; use null, or leave it out",
  bigint: "; use a number or a text",
  Date: "; use a text, as in date.toISOString()",
  Map: "; use an object, as in Object.fromEntries(map)",
  Set: "; use a list, as in [...set]",
  Uint8Array: "; use a text, as in Buffer.from(bytes).toString('base64')",
};

/** The name of an object that is neither a list nor a plain object. Values come from other realms, with other prototypes. */
function kindOf(value: object): string | undefined {
  if (Array.isArray(value)) return undefined;
  const tag = Object.prototype.toString.call(value).slice(8, -1);
  if (tag !== "Object") return tag;
  const prototype: object | null = Object.getPrototypeOf(value);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return undefined;
  const { constructor: made } = value as { constructor?: { name?: unknown } };
  return typeof made?.name === "string" && made.name !== "" ? made.name : "object of a class";
}

const placeOf = (key: string) =>
  /^[A-Za-z_$][\w$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(cutText(key, 60))}]`;

const isEnumerable = (object: object, key: symbol): boolean => Object.prototype.propertyIsEnumerable.call(object, key);

/** Marks of Navigator, such as the schemas of an agent, stay in the process on purpose. */
const isOwnMark = (key: symbol): boolean => Symbol.keyFor(key)?.startsWith("navigator.") === true;
