import { cutText } from "../base/whole-characters";

/**
 * Signatures: `(order_id :int) -> {status :string, _raw :map?}` (lisp reference, section 15). A bare type is the
 * output of a signature without parameters.
 */

/** The type of a value: a primitive, a list of one type, or a record of fields. */
export type Type =
  | { kind: "primitive"; name: PrimitiveName; optional: boolean }
  | { kind: "list"; of: Type }
  | { kind: "record"; fields: Field[] };

/** A named part of a signature, such as `order_id :int`. */
export interface Field {
  name: string;
  type: Type;
}

/** What a tool or agent takes and gives (lisp reference, section 15): `(order_id :int) -> {tx :string}`. */
export interface Signature {
  parameters: Field[];
  output: Type;
}

/** The names of the types that have no parts (lisp reference, section 15.1). */
export const PRIMITIVES = ["string", "int", "float", "bool", "keyword", "map", "any"] as const;
/** The name of a type that has no parts. */
export type PrimitiveName = (typeof PRIMITIVES)[number];

/** A signature that cannot be read; line and column are 1-based. */
export class SignatureError extends Error {
  constructor(
    readonly problem: string,
    readonly line: number,
    readonly column: number,
  ) {
    super(`parse error at line ${line}, column ${column}: ${problem}`);
  }
}

/**
 * Reads a signature (lisp reference, section 15.1).
 *
 * @throws SignatureError with line, column and what would be right.
 */
export function parseSignature(text: string): Signature {
  return new Parser(text).signature();
}

const HINT = "types are :string :int :float :bool :keyword :map :any; for lists use [:type], for maps {field :type}";

/** Types that nest deeper are not useful, and every traversal of a type is recursive. */
const MAX_DEPTH = 50;

class Parser {
  private pos = 0;
  private depth = 0;
  constructor(private readonly text: string) {}

  signature(): Signature {
    this.blanks();
    let parameters: Field[] = [];
    if (this.peek() === "(") {
      parameters = this.fields("(", ")");
      this.blanks();
      if (!this.text.startsWith("->", this.pos))
        throw this.error('expected "->" and the output type after the parameters');
      this.pos += 2;
    }
    const output = this.type();
    this.blanks();
    if (this.pos < this.text.length)
      throw this.error(`unexpected ${JSON.stringify(cutText(this.text.slice(this.pos), 12))}`);
    return { parameters, output };
  }

  private type(): Type {
    this.blanks();
    if (this.depth >= MAX_DEPTH) throw this.error(`types are nested deeper than ${MAX_DEPTH}`);
    this.depth += 1;
    const type = this.typeHere();
    this.depth -= 1;
    if (this.peek() === "?") throw this.error("only a primitive type can be optional, as in :int?");
    return type;
  }

  private typeHere(): Type {
    const c = this.peek();
    if (c === "[") {
      this.pos += 1;
      this.blanks();
      if (this.peek() === "]") throw this.error("a list needs the type of its elements: [:any] takes everything");
      const of = this.type();
      this.expect("]");
      return { kind: "list", of };
    }
    if (c === "{") return { kind: "record", fields: this.fields("{", "}") };
    if (c !== ":") throw this.error(`expected a type; ${HINT}`);
    const word = /:([a-zA-Z_][a-zA-Z0-9_-]*)(\?)?/y;
    word.lastIndex = this.pos;
    const found = word.exec(this.text);
    if (!found || !isPrimitive(found[1] as string)) throw this.error(`${found?.[0] ?? ":"} is not a type; ${HINT}`);
    this.pos = word.lastIndex;
    return { kind: "primitive", name: found[1] as PrimitiveName, optional: found[2] === "?" };
  }

  private fields(open: string, close: string): Field[] {
    this.expect(open);
    const fields: Field[] = [];
    const names = new Set<string>();
    this.blanks();
    if (this.peek() === close) {
      this.pos += 1;
      return fields;
    }
    for (;;) {
      fields.push(this.field(names));
      this.blanks();
      if (this.peek() === close) {
        this.pos += 1;
        return fields;
      }
      if (this.peek() !== ",") throw this.error(`expected "," between fields or "${close}" after the last one`);
      this.pos += 1;
    }
  }

  private field(before: Set<string>): Field {
    this.blanks();
    const word = /[a-zA-Z_][a-zA-Z0-9_-]*/y;
    word.lastIndex = this.pos;
    const found = word.exec(this.text);
    if (!found) throw this.error("expected a field name followed by its type, as in name :string");
    const [name] = found;
    if (before.has(wireName(name))) throw this.error(`field ${name} is given twice`);
    before.add(wireName(name));
    this.pos = word.lastIndex;
    return { name, type: this.type() };
  }

  private blanks(): void {
    while (this.pos < this.text.length && " \t\r\n".includes(this.text[this.pos] as string)) this.pos += 1;
  }
  private peek(): string | undefined {
    return this.text[this.pos];
  }
  private expect(c: string): void {
    this.blanks();
    if (this.peek() !== c) throw this.error(`expected "${c}"`);
    this.pos += 1;
  }
  private error(problem: string): SignatureError {
    const before = this.text.slice(0, this.pos).split("\n");
    return new SignatureError(problem, before.length, (before.at(-1) as string).length + 1);
  }
}

/** A declared name as values carry it: `-` becomes `_`. */
export const wireName = (name: string): string => name.replaceAll("-", "_");

const isPrimitive = (name: string): name is PrimitiveName => (PRIMITIVES as readonly string[]).includes(name);
