import type { PatternProgram } from "../regex/program";

/**
 * The values of PTC-Lisp. No value is ever a plain JavaScript object with user-chosen keys, so `__proto__`
 * and `constructor` are ordinary keys and no program can reach the host.
 *
 *   nil      null                 boolean  true/false
 *   integer  number (safe range, always integral) or bigint (outside it, always normalised)
 *   float    Float                string   string
 *   keyword  Keyword (interned)   vector   Vec
 *   map      PMap                 set      PSet
 *   function Closure | Builtin | Native    regex Regex   var VarRef   time Instant | LocalDate
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Float
  | Keyword
  | import("./collections").Vec
  | import("./collections").PMap
  | import("./collections").PSet
  | Fn
  | Regex
  | VarRef
  | Instant
  | LocalDate;

/** Anything that stands for a function: closures of programs, builtins of the registry, functions built at run time (`juxt`, `fnil`, `where`). */
export type Fn = import("./closure").Closure | import("./builtin").Builtin | import("./builtin").Native;

/** A float, boxed so that 4.0 and 4 stay different values. */
export class Float {
  readonly tag = "float";
  constructor(readonly n: number) {}
}

export class Keyword {
  readonly tag = "keyword";
  private constructor(readonly name: string) {}
  private static readonly all = new Map<string, Keyword>();
  /** Interned: equal names are the same object. */
  static of(name: string): Keyword {
    let k = Keyword.all.get(name);
    if (!k) {
      k = new Keyword(name);
      Keyword.all.set(name, k);
    }
    return k;
  }
  /** The keyword if any code has made it so far: looking for one must not intern every text that passes by. */
  static known(name: string): Keyword | undefined {
    return Keyword.all.get(name);
  }
}

/** A compiled pattern; `source` is what the program wrote. */
export class Regex {
  readonly tag = "regex";
  constructor(
    readonly source: string,
    private program: PatternProgram | (() => PatternProgram),
  ) {}
  get compiled(): PatternProgram {
    if (typeof this.program === "function") this.program = this.program();
    return this.program;
  }
}

/** What `def` evaluates to; prints as `#'name`. */
export class VarRef {
  readonly tag = "var";
  constructor(readonly name: string) {}
}

/** A date-time, milliseconds since 1970 UTC. */
export class Instant {
  readonly tag = "instant";
  constructor(readonly ms: number) {}
}

/** A calendar date, ISO text `YYYY-MM-DD`. */
export class LocalDate {
  readonly tag = "date";
  constructor(readonly iso: string) {}
}
