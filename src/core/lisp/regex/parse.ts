import { charSet, onePoint } from "./char-set";
import { EscapeReader, type Flags } from "./escapes";
import type { PatternNode } from "./tree";

/**
 * Reads a pattern: the common part of PCRE. Refused, because they are rare or cannot be matched in linear time:
 * backreferences, atomic groups, possessive quantifiers, recursion, conditions, `\K`, `\G`, `\Q`.
 *
 * @throws PatternError with the position (0-based) in the pattern
 */
export function parsePattern(source: string): { tree: PatternNode; groups: number } {
  return new PatternParser(source).parse();
}

class PatternParser extends EscapeReader {
  private groups = 0;

  parse(): { tree: PatternNode; groups: number } {
    const tree = this.choice({ i: false, m: false, s: false, x: false });
    if (this.at < this.points.length) this.refuse("unmatched )");
    return { tree, groups: this.groups };
  }

  /** Alternatives up to the end or a `)`. An inline flag group changes `flags` for the rest of the group. */
  private choice(flags: Flags): PatternNode {
    const scope = { ...flags };
    const options: PatternNode[] = [this.sequence(scope)];
    while (this.take("|")) options.push(this.sequence(scope));
    return options.length === 1 ? options[0]! : { kind: "choice", options };
  }

  private sequence(flags: Flags): PatternNode {
    const items: PatternNode[] = [];
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

  private quantified(atom: PatternNode, start: number): PatternNode {
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

  /** Undefined for a part that matches no text, such as `(?i)`. */
  private atom(flags: Flags): PatternNode | undefined {
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

  private group(flags: Flags, start: number): PatternNode | undefined {
    if (!this.take("?")) return this.capture(flags, start);
    if (this.take(":")) return this.closed(this.choice(flags), start);
    if (this.take("#")) {
      while (this.next("unclosed comment") !== ")");
      return undefined;
    }
    for (const [mark, lookbehind, negative] of LOOKS)
      if (this.take(mark)) return this.closed({ kind: "look", node: this.choice(flags), lookbehind, negative }, start);
    if (this.take("P<") || this.take("<")) return this.named(flags, start, ">");
    if (this.take("'")) return this.named(flags, start, "'");
    if (this.peek(">")) this.refuse("atomic groups are not supported", start);
    return this.flagGroup(flags, start);
  }

  private capture(flags: Flags, start: number): PatternNode {
    if (this.peek("*")) this.refuse("verbs are not supported", start);
    this.groups += 1;
    const index = this.groups;
    return this.closed({ kind: "group", node: this.choice(flags), index }, start);
  }

  private named(flags: Flags, start: number, close: string): PatternNode {
    while (/\w/.test(this.points[this.at] ?? "")) this.at += 1;
    if (!this.take(close)) this.refuse("bad group name", start);
    return this.capture(flags, start);
  }

  private flagGroup(flags: Flags, start: number): PatternNode | undefined {
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

  private closed(node: PatternNode, start: number): PatternNode {
    if (!this.take(")")) this.refuse("missing ) for the group", start);
    return node;
  }
}

const LOOKS: [string, boolean, boolean][] = [
  ["=", false, false],
  ["!", false, true],
  ["<=", true, false],
  ["<!", true, true],
];

function literal(point: string, flags: Flags): PatternNode {
  const code = point.codePointAt(0)!;
  return { kind: "char", set: flags.i ? charSet([[code, code]], { fold: true }) : onePoint(code) };
}
