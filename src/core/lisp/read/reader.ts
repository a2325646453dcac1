import { HostSet } from "../../base/intrinsics";
import { cutText } from "../../base/whole-characters";
import { LispError, type Place } from "../values/errors";
import { Float, Keyword, type Value } from "../values/values";
import type { Form } from "./form";
import { isCurly } from "./literals";
import * as Token from "./tokens";

/**
 * Reads text to forms (lisp reference, section 3). The reader is iterative: a count bounds the nesting, not the host's
 * stack. Lines and columns count from 1.
 */

const MAX_NESTING = 200;
const MAX_NAMES = 10_000;

type Bracket = {
  kind: "list" | "vector" | "set" | "map" | "shortfn";
  close: string;
  open: string;
  at: Place;
  items: Form[];
};

/**
 * Reads the forms of a program (lisp reference, section 3).
 *
 * @throws LispError `parse_error` or `symbol_limit_exceeded`, with the place
 */
export function read(source: string): Form[] {
  return new Reader(source).program();
}

class Reader {
  private pos = 0;
  private line = 1;
  private lineStart = 0;
  private readonly names = new HostSet<string>();
  /** The place of the first name beyond the limit. */
  private tooMany: Place | undefined;

  constructor(private readonly text: string) {
    // Files may begin with a byte order mark.
    if (text.startsWith("\uFEFF")) this.pos = 1;
  }

  program(): Form[] {
    const top: Form[] = [];
    const open: Bracket[] = [];
    for (;;) {
      this.skipBlanks();
      if (this.pos >= this.text.length) break;
      const c = this.text[this.pos] as string;
      const opening = this.opening(c);
      if (opening) {
        if (open.length >= MAX_NESTING) throw this.error(`brackets are nested deeper than ${MAX_NESTING} levels`);
        open.push(opening);
        continue;
      }
      if (c === ")" || c === "]" || c === "}") {
        const done = this.close(c, open);
        if (done) (open.at(-1)?.items ?? top).push(done);
        continue;
      }
      (open.at(-1)?.items ?? top).push(this.atom(c));
    }
    const unclosed = open.at(-1);
    if (unclosed)
      throw refusal(
        `unclosed ${unclosed.open} opened at ${unclosed.at.line}:${unclosed.at.column}; ${open.length === 1 ? "one closing bracket is" : `${open.length} closing brackets are`} missing at the end`,
        unclosed.at,
      );
    if (this.tooMany)
      throw new LispError(
        "symbol_limit_exceeded",
        "symbol_limit_exceeded",
        `the program contains ${this.names.size} different symbols and keywords; the limit is ${MAX_NAMES}`,
        this.tooMany,
      );
    return top;
  }

  private opening(c: string): Bracket | undefined {
    const at = this.place();
    const next = this.text[this.pos + 1];
    const bracket = (kind: Bracket["kind"], open: string, close: string): Bracket => {
      this.pos += open.length;
      return { kind, open, close, at, items: [] };
    };
    if (c === "(") return bracket("list", "(", ")");
    if (c === "[") return bracket("vector", "[", "]");
    if (c === "{") return bracket("map", "{", "}");
    if (c === "#" && next === "(") return bracket("shortfn", "#(", ")");
    if (c === "#" && next === "{") return bracket("set", "#{", "}");
    return undefined;
  }

  /** Undefined for a stray closing bracket at top level, which is ignored. */
  private close(c: string, open: Bracket[]): Form | undefined {
    const bracket = open.at(-1);
    if (!bracket) {
      this.pos += 1;
      return undefined;
    }
    if (bracket.close !== c) {
      const { line, column } = this.place();
      throw refusal(
        `expected ${bracket.close} to close the ${bracket.open} of ${bracket.at.line}:${bracket.at.column}, found ${c} at ${line}:${column}`,
        bracket.at,
      );
    }
    this.pos += 1;
    open.pop();
    if (bracket.kind === "map" && bracket.items.length % 2 === 1)
      throw refusal(`a map literal needs an even number of forms, got ${bracket.items.length}`, bracket.at);
    return { kind: bracket.kind, items: bracket.items, at: bracket.at };
  }

  private atom(c: string): Form {
    const at = this.place();
    if (c === '"') return { kind: "literal", value: this.string(at), at };
    if (c === "\\") return { kind: "literal", value: this.character(), at };
    if (c === "#") return this.dispatch(at);
    if (c === ":") {
      const keyword = this.match("KEYWORD");
      if (!keyword) throw this.error("a keyword needs a name of letters, digits and + - * < > = ? ! _");
      this.countName(keyword[0]);
      return { kind: "literal", value: Keyword.of(keyword[0].slice(1)), at };
    }
    const float = this.match("FLOAT");
    if (float) return { kind: "literal", value: new Float(Number(float[0])), at };
    const integer = this.match("INTEGER");
    if (integer && integer[0].length > Token.MAX_DIGITS)
      throw refusal(`an integer of more than ${Token.MAX_DIGITS} digits at ${at.line}:${at.column}`, at);
    if (integer) return { kind: "literal", value: Token.integerOf(integer[0]), at };
    const symbol = this.match("SYMBOL");
    if (symbol) {
      const name = symbol[0];
      if (Object.hasOwn(Token.WORDS, name)) return { kind: "literal", value: Token.WORDS[name] as Value, at };
      this.countName(name);
      return { kind: "symbol", name, at };
    }
    if (c === "@") throw this.error("@ (deref) is not supported: there are no atoms");
    if (c === "'" || c === "`") throw this.error("quoting is not supported: use a vector, as in [1 2]");
    throw this.unexpected();
  }

  private unexpected(): LispError {
    const code = this.text.codePointAt(this.pos) as number;
    // Many characters beyond ASCII look alike or cannot be seen, so the code point is shown.
    const hint = isCurly(this.text[this.pos] as string) ? '; a text stands between straight quotes: "..."' : "";
    const number = code > 0x7e || code < 0x20 ? ` (U+${code.toString(16).toUpperCase().padStart(4, "0")})` : "";
    return this.error(`unexpected ${JSON.stringify(cutText(this.text.slice(this.pos), 20))}${number}${hint}`);
  }

  private dispatch(at: Place): Form {
    const next = this.text[this.pos + 1];
    if (next === '"') {
      this.pos += 1;
      return { kind: "regex", source: this.string(at), at };
    }
    if (next === "_") throw this.error("the discard form #_ is not supported: use a ; comment");
    const special = this.match("SPECIAL_FLOAT");
    if (special) {
      const n =
        special[1] === "NaN" ? Number.NaN : special[1] === "Inf" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      return { kind: "literal", value: new Float(n), at };
    }
    const variable = this.match("VAR_NAME");
    if (variable) {
      this.countName(variable[1] as string);
      return { kind: "var", name: variable[1] as string, at };
    }
    throw this.unexpected();
  }

  private string(start: Place): string {
    const parts: string[] = [];
    this.pos += 1;
    let from = this.pos;
    for (;;) {
      const c = this.text[this.pos];
      if (c === undefined)
        throw refusal(`the text that starts at ${start.line}:${start.column} has no closing "`, start);
      if (c === '"') break;
      if (c === "\n") this.newLine(this.pos + 1);
      if (c === "\\") {
        const escaped = this.text[this.pos + 1];
        if (escaped === "\n" || escaped === "\r")
          throw this.error("a backslash may not stand directly before a line end");
        parts.push(
          this.text.slice(from, this.pos),
          escaped === undefined ? "" : (Token.ESCAPES[escaped] ?? `\\${escaped}`),
        );
        this.pos += 2;
        from = this.pos;
      } else this.pos += 1;
    }
    parts.push(this.text.slice(from, this.pos));
    this.pos += 1;
    return parts.join("");
  }

  private character(): string {
    for (const [name, character] of Token.NAMED_CHARACTERS)
      if (this.text.startsWith(name, this.pos + 1)) {
        this.pos += 1 + name.length;
        return character;
      }
    const code = this.text.codePointAt(this.pos + 1);
    if (code === undefined) throw this.error("a character is missing after \\");
    const character = String.fromCodePoint(code);
    this.pos += 1 + character.length;
    if (character === "\n") this.newLine(this.pos);
    return character;
  }

  private match(kind: Parameters<typeof Token.tokenAt>[0]): RegExpExecArray | null {
    const found = Token.tokenAt(kind, this.text, this.pos);
    if (found) this.pos += found[0].length;
    return found;
  }

  private skipBlanks(): void {
    for (; this.pos < this.text.length; this.pos += 1) {
      const c = this.text[this.pos] as string;
      if (c === "\n") this.newLine(this.pos + 1);
      else if (c === ";") {
        this.match("COMMENT");
        this.pos -= 1;
      } else if (!Token.BLANKS.includes(c)) return;
    }
  }

  /** A namespaced symbol counts by its name. */
  private countName(name: string): void {
    this.names.add(name.slice(name.indexOf("/", 1) + 1));
    if (this.names.size > MAX_NAMES) this.tooMany ??= this.place();
  }

  private newLine(start: number): void {
    this.line += 1;
    this.lineStart = start;
  }
  private place(): Place {
    return { line: this.line, column: this.pos - this.lineStart + 1 };
  }
  private error(message: string): LispError {
    const at = this.place();
    return refusal(`${message} at ${at.line}:${at.column}`, at);
  }
}

const refusal = (message: string, at: Place) => new LispError("parse_error", "parse_error", message, at);
