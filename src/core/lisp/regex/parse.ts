import { LispError } from "../errors";
import { type CharItem, type CharSet, CLASS_ESCAPES, charSet, POSIX_CLASSES, unicodeProperty } from "./char-set";

/** A pattern as a tree. */
export type Node =
  | { kind: "char"; set: CharSet }
  | { kind: "sequence"; items: Node[] }
  | { kind: "choice"; options: Node[] }
  | { kind: "repeat"; node: Node; min: number; max: number; greedy: boolean }
  | { kind: "group"; node: Node; index: number }
  | { kind: "assert"; what: Assertion }
  | { kind: "look"; node: Node; behind: boolean; negative: boolean };

export type Assertion = "start" | "end" | "last-end" | "line-start" | "line-end" | "word" | "not-word";

interface Flags {
  /** Either case. */
  i: boolean;
  /** `^` and `$` at lines. */
  m: boolean;
  /** `.` matches line ends. */
  s: boolean;
  /** Blanks and comments in the pattern are ignored. */
  x: boolean;
}

/**
 * Reads a pattern: the common part of PCRE. Refused because they cannot be matched in linear time or are rare:
 * backreferences, atomic groups, possessive quantifiers, recursion, conditions, `\K`, `\G`, `\Q`.
 *
 * @throws type_error with the position (0-based) in the pattern
 */
export function parsePattern(source: string): { tree: Node; groups: number } {
  return new PatternParser(source).parse();
}

class PatternParser {
  private readonly points: string[];
  private at = 0;
  private groups = 0;

  constructor(private readonly source: string) {
    this.points = [...source];
  }

  parse(): { tree: Node; groups: number } {
    const tree = this.choice({ i: false, m: false, s: false, x: false });
    if (this.at < this.points.length) this.refuse("unmatched )");
    return { tree, groups: this.groups };
  }

  private refuse(message: string, at = this.at): never {
    throw new LispError(
      "eval_error",
      "type_error",
      `invalid regex ${JSON.stringify(this.source)}: ${message} at position ${at}`,
    );
  }

  private peek(text: string): boolean {
    return this.points.slice(this.at, this.at + text.length).join("") === text;
  }

  private take(text: string): boolean {
    if (!this.peek(text)) return false;
    this.at += text.length;
    return true;
  }

  private next(missing: string): string {
    const point = this.points[this.at];
    if (point === undefined) this.refuse(missing);
    this.at += 1;
    return point;
  }

  /** Alternatives up to the end or a `)`. An inline flag group changes `flags` for the rest of the group. */
  private choice(flags: Flags): Node {
    const scope = { ...flags };
    const options: Node[] = [this.sequence(scope)];
    while (this.take("|")) options.push(this.sequence(scope));
    return options.length === 1 ? options[0]! : { kind: "choice", options };
  }

  private sequence(flags: Flags): Node {
    const items: Node[] = [];
    for (;;) {
      if (flags.x) this.skipBlanks();
      if (this.at >= this.points.length || this.peek("|") || this.peek(")")) return { kind: "sequence", items };
      const start = this.at;
      const atom = this.atom(flags);
      if (atom === undefined) continue;
      if (flags.x) this.skipBlanks();
      items.push(this.quantified(atom, start));
    }
  }

  private skipBlanks(): void {
    for (;;) {
      const point = this.points[this.at];
      if (point === "#") while (this.at < this.points.length && this.points[this.at] !== "\n") this.at += 1;
      else if (point !== undefined && /\s/.test(point)) this.at += 1;
      else return;
    }
  }

  private quantified(atom: Node, start: number): Node {
    let node = atom;
    for (;;) {
      const bounds = this.quantifier();
      if (bounds === undefined) return node;
      if (node !== atom) this.refuse("a quantifier after a quantifier");
      if (atom.kind === "assert" || atom.kind === "look") this.refuse("an assertion cannot be repeated", start);
      if (bounds.max < bounds.min) this.refuse("numbers out of order in a quantifier");
      const greedy = !this.take("?");
      if (greedy && this.peek("+")) this.refuse("possessive quantifiers are not supported");
      node = { kind: "repeat", node: atom, ...bounds, greedy };
    }
  }

  private quantifier(): { min: number; max: number } | undefined {
    if (this.take("*")) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.take("+")) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.take("?")) return { min: 0, max: 1 };
    const counted = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(this.points.slice(this.at, this.at + 12).join(""));
    if (!counted) return undefined;
    this.at += counted[0].length;
    const min = Number(counted[1]);
    return {
      min,
      max: counted[2] === undefined ? min : counted[3] === "" ? Number.POSITIVE_INFINITY : Number(counted[3]),
    };
  }

  /** undefined for what matches nothing by itself, such as `(?i)`. */
  private atom(flags: Flags): Node | undefined {
    const start = this.at;
    const point = this.next("unexpected end");
    switch (point) {
      case "(":
        return this.group(flags, start);
      case "[":
        return { kind: "char", set: this.bracket(flags, start) };
      case ".":
        return { kind: "char", set: charSet(flags.s ? [] : [[10, 10]], { negated: true }) };
      case "^":
        return { kind: "assert", what: flags.m ? "line-start" : "start" };
      case "$":
        return { kind: "assert", what: flags.m ? "line-end" : "last-end" };
      case "*":
      case "+":
      case "?":
        return this.refuse("nothing to repeat", start);
      case "\\":
        return this.escape(flags, start);
      default:
        return literal(point, flags);
    }
  }

  private group(flags: Flags, start: number): Node | undefined {
    if (!this.take("?")) return this.capture(flags, start);
    if (this.take(":")) return this.closed(this.choice(flags), start);
    if (this.take("#")) {
      while (this.next("unclosed comment") !== ")");
      return undefined;
    }
    for (const [mark, behind, negative] of LOOKS)
      if (this.take(mark)) return this.closed({ kind: "look", node: this.choice(flags), behind, negative }, start);
    if (this.take("P<") || this.take("<")) return this.named(flags, start, ">");
    if (this.take("'")) return this.named(flags, start, "'");
    if (this.peek(">")) this.refuse("atomic groups are not supported", start);
    return this.flagGroup(flags, start);
  }

  private capture(flags: Flags, start: number): Node {
    if (this.peek("*")) this.refuse("verbs are not supported", start);
    this.groups += 1;
    const index = this.groups;
    return this.closed({ kind: "group", node: this.choice(flags), index }, start);
  }

  private named(flags: Flags, start: number, close: string): Node {
    while (/\w/.test(this.points[this.at] ?? "")) this.at += 1;
    if (!this.take(close)) this.refuse("bad group name", start);
    return this.capture(flags, start);
  }

  private flagGroup(flags: Flags, start: number): Node | undefined {
    const scoped = { ...flags };
    let on = true;
    for (;;) {
      const point = this.next("unclosed group");
      if (point === "-") on = false;
      else if (point === "i" || point === "m" || point === "s" || point === "x") scoped[point] = on;
      else if (point === "u") continue;
      else if (point === ":") return this.closed(this.choice(scoped), start);
      else if (point === ")") {
        Object.assign(flags, scoped);
        return undefined;
      } else this.refuse("this kind of group is not supported", start);
    }
  }

  private closed(node: Node, start: number): Node {
    if (!this.take(")")) this.refuse("missing ) for the group", start);
    return node;
  }

  private escape(flags: Flags, start: number): Node {
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

  /** An escape that means one character or a class; `at` is behind the backslash. */
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

  private bracket(flags: Flags, start: number): CharSet {
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
        const set = POSIX_CLASSES[posix[2]!];
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

const LOOKS: [string, boolean, boolean][] = [
  ["=", false, false],
  ["!", false, true],
  ["<=", true, false],
  ["<!", true, true],
];

const ASSERTIONS: Record<string, Assertion | undefined> = {
  A: "start",
  z: "end",
  Z: "last-end",
  b: "word",
  B: "not-word",
};

const CONTROLS: Record<string, number | undefined> = { n: 10, t: 9, r: 13, f: 12, e: 27, a: 7, "0": 0 };

function literal(point: string, flags: Flags): Node {
  const code = point.codePointAt(0)!;
  return { kind: "char", set: charSet([[code, code]], { fold: flags.i }) };
}

const single = (...ranges: [number, number][]): Node => ({ kind: "char", set: charSet(ranges) });

/** `\R`. */
const LINE_END: Node = {
  kind: "choice",
  options: [
    { kind: "sequence", items: [single([13, 13]), single([10, 10])] },
    single([10, 13], [0x85, 0x85], [0x2028, 0x2029]),
  ],
};
