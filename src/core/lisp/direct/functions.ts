import type { Code } from "../compile/code";
import { PMap, Vec } from "../values/collections";
import { equalValues } from "../values/equality";
import { lookup } from "../values/lookup";
import { ENTRY, MAP, SLOT, VECTOR } from "../values/sizes";
import { Closure, type Keyword, type PlainBuiltin, type Value } from "../values/values";
import { isSmall, leavesNothing } from "./pure";
import { allocate, charge, directContext, leave, presentCall, presentNames } from "./state";
import { type DirectFunction, translate } from "./translate";

const state = presentCall();
const names = presentNames();

/** The translation of a function, and whether it pays. */
export interface DirectForm {
  /** null: calls go to the evaluator. */
  run: DirectFunction | null;
  readonly arity: number;
  /** Steps that were taken by it, and steps for nothing: the evaluator had to take them again. */
  gained: number;
  lost: number;
}

/** A use of a definition by a translated function. */
interface Link {
  readonly name: string;
  /** The number of arguments; -1 when it is not called. */
  readonly count: number;
  /** When it was looked up. */
  epoch: number;
  run: DirectFunction | null;
  captured: readonly Value[];
  value: Value;
}

/** The calls after which a function is worth its translation: that takes about as long as so many calls. */
const WORTH = 100;

/** The direct form of a function that is about to be called so many times; null when it is not worth one yet. */
export function directFor(code: Code, calls: number): DirectForm | null {
  if (code.direct !== null) return code.direct as DirectForm;
  code.calls += calls;
  return code.calls < WORTH ? null : directOf(code);
}

/** Translations between two waits. A program of thousands of small functions would take too long. */
const MAX_TRANSLATIONS = 300;

/** The direct form of a code, made when it is needed. */
function directOf(code: Code): DirectForm {
  if (code.direct !== null) return code.direct as DirectForm;
  if (names.translations >= MAX_TRANSLATIONS) return NONE;
  names.translations += 1;
  const direct: DirectForm = { run: null, arity: code.arity, gained: 0, lost: 0 };
  code.direct = direct;
  const translation = translate(code);
  if (translation !== null)
    direct.run = translation.factory(
      code.constants,
      help,
      state,
      translation.links.map(
        ({ name, count }): Link => ({ epoch: -1, name, count, run: null, captured: [], value: null }),
      ),
    );
  return direct;
}

const NONE: DirectForm = { run: null, arity: 0, gained: 0, lost: 0 };

/** What the texts of translated functions use (`H`). */
const help = {
  leave,

  find(link: Link): Link {
    const value = names.globals?.get(link.name);
    if (!(value instanceof Closure)) return leave();
    const { run, arity } = directOf(value.code as Code);
    if (run === null || arity !== link.count) return leave();
    link.run = run;
    link.captured = value.captured;
    link.epoch = state.epoch;
    return link;
  },

  global(link: Link): Value {
    if (link.epoch === state.epoch) return link.value;
    const value = names.globals?.get(link.name);
    if (value === undefined) return leave();
    link.value = value;
    link.epoch = state.epoch;
    return value;
  },

  target(value: Value, count: number): DirectForm {
    if (!(value instanceof Closure)) return leave();
    const direct = directOf(value.code as Code);
    return direct.run === null || direct.arity !== count ? leave() : direct;
  },

  plain(name: string, args: Value[]): Value {
    const builtin = names.builtins.get(name) as PlainBuiltin;
    return leavesNothing(name, args) ? builtin.call(args, directContext) : leave();
  },
  add: (a: Value, b: Value): Value => help.plain("+", [a, b]),
  subtract: (a: Value, b: Value): Value => help.plain("-", [a, b]),
  multiply: (a: Value, b: Value): Value => help.plain("*", [a, b]),
  inc: (a: Value): Value => help.plain("inc", [a]),
  dec: (a: Value): Value => help.plain("dec", [a]),

  equal: (a: Value, b: Value): boolean => (leavesNothing("=", [a, b]) ? equalValues(a, b, charge) : leave()),

  builtin: (builtin: PlainBuiltin, args: Value[]): Value =>
    leavesNothing(builtin.name, args) ? builtin.call(args, directContext) : leave(),

  rem: (a: number, b: number): number => (a % b) + 0,
  quot: (a: number, b: number): number => (a - (a % b)) / b + 0,
  mod(a: number, b: number): number {
    const rem = a % b;
    return (rem !== 0 && rem < 0 !== b < 0 ? rem + b : rem) + 0;
  },

  keyword(key: Keyword, map: Value, fallback: Value): Value {
    state.left -= 1;
    if (!(map instanceof PMap)) return fallback;
    return help.field(map, key, fallback);
  },

  field(map: Value, key: Value, fallback: Value): Value {
    if (!isSmall(map)) return leave();
    const found = lookup(map, key);
    return found === undefined ? fallback : found;
  },

  nth: (vector: Vec<Value>, index: number): Value => vector.get(index) ?? null,

  checkVector(value: Value): void {
    if (value !== null && !(value instanceof Vec)) leave();
  },
  checkMap(value: Value): void {
    if (value !== null && !(value instanceof PMap)) leave();
  },

  vector(items: Value[]): Value {
    allocate(VECTOR + SLOT * items.length);
    return Vec.from(items);
  },

  map(flat: Value[]): Value {
    allocate(MAP + (ENTRY / 2) * flat.length);
    let map: PMap<Value> = PMap.empty;
    for (let i = 0; i < flat.length; i += 2) {
      if (!isSmall(flat[i] as Value)) leave();
      map = map.assoc(flat[i] as Value, flat[i + 1] as Value);
    }
    return map;
  },

  closure(code: Code, captured: Value[]): Value {
    allocate(64 + 8 * code.captures.length);
    return new Closure(code, captured);
  },
};
