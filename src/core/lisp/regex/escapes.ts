import { type CharItem, type CharSet, CLASS_ESCAPES, charSet, POSIX_CLASSES, unicodeProperty } from "./char-set";
import { type Assertion, PatternError, type PatternNode } from "./tree";

/** The flags that are on in a part of a pattern. */
export interface Flags {
  /** Letters match in either case. */
  i: boolean;
  /** `^` and `$` match at the ends of lines. */
  m: boolean;
  /** `.` matches line ends. */
  s: boolean;
  /** Blanks and comments in the pattern are ignored. */
  x: boolean;
}

/** A pattern read character by character. */
class PatternScanner {
  protected readonly points: string[];
  protected at = 0;

  constructor(private readonly source: string) {
    this.points = [...source];
  }

  protected refuse(message: string, at = this.at): never {
    throw new PatternError(`invalid regex ${JSON.stringify(this.source)}: ${message} at position ${at}`);
  }

  protected peek(text: string): boolean {
    return this.points.slice(this.at, this.at + text.length).join("") === text;
  }

  protected take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  protected next(missing: string): string {
    const point = this.points[this.at];
    if (point === undefined) this.refuse(missing);
    this.at += 1;
    return point;
  }
}

/** Reads escapes and bracketed classes. */
export class EscapeReader extends PatternScanner {
  protected escape(flags: Flags, start: number): PatternNode {
    const point = this.next("\\ at the end");
    const assertion = ASSERTIONS[point];
    if (assertion) return { kind: "assert", what: assertion };
    if (point === "R") return LINE_END;
    if (point === "N") return { kind: "char", set: charSet([[10, 10]], { negated: true }) };
    if (/[1-9gk]/.test(point)) this.refuse("backreferences are not supported", start);
    this.at -= 1;
    const item = this.classEscape(start);
    return { kind: "char", set: charSet([item], { fold: flags.i }) };
  }

  /** An escape that means one character or a class; `at` is after the backslash. */
  private classEscape(start: number): CharItem {
    const point = this.next("\\ at the end");
    const known = CLASS_ESCAPES[point];
    if (known) return known;
    if (point === "p" || point === "P") return this.property(point === "P", start);
    const code = this.codeEscape(point, start);
    return [code, code];
  }

  private codeEscape(point: string, start: number): number {
    const control = CONTROLS[point];
    if (control !== undefined) return control;
    if (point === "x" || point === "u") return this.hexEscape(point, start);
    if (/[A-Za-z0-9]/.test(point)) this.refuse(`\\${point} is not supported`, start);
    return point.codePointAt(0)!;
  }

  private hexEscape(point: string, start: number): number {
    const rest = this.points.slice(this.at, this.at + 10).join("");
    const match = (/^\{([0-9a-fA-F]{1,6})\}/.exec(rest) ??
      (point === "x" ? /^([0-9a-fA-F]{2})/ : /^([0-9a-fA-F]{4})/).exec(rest)) as RegExpExecArray | null;
    const code = match ? Number.parseInt(match[1]!, 16) : Number.NaN;
    if (!match || code > 0x10ffff) this.refuse(`bad \\${point} escape`, start);
    this.at += match[0].length;
    return code;
  }

  private property(inverted: boolean, start: number): CharSet {
    let name = this.next("\\p without a property");
    if (name === "{") {
      name = "";
      for (let point = this.next("unclosed \\p{"); point !== "}"; point = this.next("unclosed \\p{")) name += point;
    }
    const negated = name.startsWith("^") !== inverted;
    const set = unicodeProperty(name.replace(/^\^/, ""), negated);
    if (!set) this.refuse(`unknown property ${name}`, start);
    return set;
  }

  protected bracket(flags: Flags, start: number): CharSet {
    const negated = this.take("^");
    const items: CharItem[] = [];
    for (let first = true; ; first = false) {
      const point = this.next("missing ] for the character class");
      if (point === "]" && !first) return charSet(items, { negated, fold: flags.i });
      const item = this.classItem(point, start);
      if (!("has" in item) && this.peek("-") && this.points[this.at + 1] !== "]") {
        this.at += 1;
        const end = this.classItem(this.next("missing ] for the character class"), start);
        if ("has" in end || end[0] < item[0]) this.refuse("bad range in a character class");
        items.push([item[0], end[0]]);
      } else items.push(item);
    }
  }

  private classItem(point: string, start: number): CharItem {
    if (point === "[" && this.peek(":")) {
      const posix = /^:(\^?)([a-z]+):\]/.exec(this.points.slice(this.at, this.at + 16).join(""));
      if (posix) {
        const set = POSIX_CLASSES.get(posix[2]!);
        if (!set) this.refuse(`unknown class [:${posix[2]}:]`);
        this.at += posix[0].length;
        return posix[1] ? charSet([set], { negated: true }) : set;
      }
    }
    if (point === "\\") {
      if (this.take("b")) return [8, 8];
      return this.classEscape(start);
    }
    const code = point.codePointAt(0)!;
    return [code, code];
  }
}

const ASSERTIONS: Record<string, Assertion | undefined> = {
  A: "start",
  z: "end",
  Z: "last-end",
  b: "word",
  B: "not-word",
};

const CONTROLS: Record<string, number | undefined> = { n: 10, t: 9, r: 13, f: 12, e: 27, a: 7, "0": 0 };

const single = (...ranges: [number, number][]): PatternNode => ({ kind: "char", set: charSet(ranges) });

/** `\R`. */
const LINE_END: PatternNode = {
  kind: "choice",
  options: [
    { kind: "sequence", items: [single([13, 13]), single([10, 10])] },
    single([10, 13], [0x85, 0x85], [0x2028, 0x2029]),
  ],
};
