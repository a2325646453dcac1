import type { Builtin } from "../values/values";
import { Float, type Value } from "../values/values";
import { AGGREGATES } from "./aggregates";
import { ARITHMETIC } from "./arithmetic";
import { BUILDING } from "./building";
import { FILTERING } from "./filtering";
import { FUNCTIONS } from "./functions";
import { MAPS } from "./maps";
import { ORDERING } from "./ordering";
import { PREDICATES } from "./predicates";
import { REGEX } from "./regex";
import { STRINGS } from "./strings";
import { TIME } from "./time";
import { TOOL_FUNCTIONS } from "./tools";
import { TRANSFORMING } from "./transforming";
import { WALKING } from "./walking";

const ALL: Builtin[] = [
  FILTERING,
  TRANSFORMING,
  WALKING,
  ORDERING,
  BUILDING,
  AGGREGATES,
  MAPS,
  FUNCTIONS,
  ARITHMETIC,
  PREDICATES,
  STRINGS,
  REGEX,
  TIME,
  TOOL_FUNCTIONS,
].flat();

/** Every builtin function by name (lisp reference, sections 11 and 12). Their names cannot be redefined. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map(ALL.map((builtin) => [builtin.name, builtin]));

/** The names that stand for a value, with their values. */
export const CONSTANTS: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["POSITIVE_INFINITY", new Float(Number.POSITIVE_INFINITY)],
  ["NEGATIVE_INFINITY", new Float(Number.NEGATIVE_INFINITY)],
  ["NaN", new Float(Number.NaN)],
]);

/**
 * Clojure and Java namespaces that may be written before any builtin and are dropped (lisp reference, section 6.3).
 * Each has the family whose names are offered when the rest is not a builtin.
 */
export const NAMESPACES: ReadonlyMap<string, string> = new Map([
  ["clojure.string", "strings"],
  ["str", "strings"],
  ["string", "strings"],
  ["clojure.core", "transforming"],
  ["core", "transforming"],
  ["clojure.set", "building"],
  ["set", "building"],
  ["regex", "regex"],
  ["Math", "arithmetic"],
  ["Interop", "time"],
  ["System", "time"],
  ["java.time.LocalDate", "time"],
  ["LocalDate", "time"],
  ["Double", "arithmetic"],
]);
