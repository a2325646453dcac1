import type { PatternProgram } from "../regex/program";

/** Values that contain no other values and for which the host has no type. */

/** A float, boxed so that 4.0 and 4 stay different values. */
export class Float {
  readonly tag = "float";
  constructor(readonly n: number) {}
}

/** A keyword such as `:name`; `name` has no colon. */
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
  /** The keyword, if it exists already: a lookup must not intern every text that it is asked for. */
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
