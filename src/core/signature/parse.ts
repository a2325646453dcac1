/**
 * Signatures: `(order_id :int) -> {status :string, _raw :map?}` (language reference, section 15). A bare type is the
 * output of a signature without parameters.
 */
export type Type =
  | { kind: "primitive"; name: PrimitiveName; optional: boolean }
  | { kind: "list"; of: Type }
  | { kind: "record"; fields: Field[] };

export interface Field {
  name: string;
  type: Type;
}

export interface Signature {
  parameters: Field[];
  output: Type;
}

export const PRIMITIVES = ["string", "int", "float", "bool", "keyword", "map", "any"] as const;
export type PrimitiveName = (typeof PRIMITIVES)[number];

export class SignatureError extends Error {}

/** @throws SignatureError with line, column and what would be right. */
export function parseSignature(text: string): Signature {
  return new Parser(text).signature();
}

const HINT = "types are :string :int :float :bool :keyword :map :any, lists [type], maps {field type}";

class Parser {
  private pos = 0;
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
      throw this.error(`unexpected ${JSON.stringify(this.text.slice(this.pos, this.pos + 12))}`);
    return { parameters, output };
  }

  private type(): Type {
    this.blanks();
    const c = this.peek();
    if (c === "[") {
      this.pos += 1;
      const of = this.type();
      this.expect("]");
      return { kind: "list", of };
    }
    if (c === "{") return { kind: "record", fields: this.fields("{", "}") };
    if (c !== ":") throw this.error(`expected a type; ${HINT}`);
    const word = /:([a-zA-Z_]+)(\?)?/y;
    word.lastIndex = this.pos;
    const found = word.exec(this.text);
    if (!found || !isPrimitive(found[1] as string)) throw this.error(`${found?.[0] ?? ":"} is no type; ${HINT}`);
    this.pos = word.lastIndex;
    return { kind: "primitive", name: found[1] as PrimitiveName, optional: found[2] === "?" };
  }

  private fields(open: string, close: string): Field[] {
    this.expect(open);
    const fields: Field[] = [];
    this.blanks();
    if (this.peek() === close) {
      this.pos += 1;
      return fields;
    }
    for (;;) {
      fields.push(this.field());
      this.blanks();
      if (this.peek() === close) {
        this.pos += 1;
        return fields;
      }
      if (this.peek() !== ",") throw this.error(`expected "," between fields or "${close}" after the last one`);
      this.pos += 1;
    }
  }

  private field(): Field {
    this.blanks();
    const word = /[a-zA-Z_][a-zA-Z0-9_-]*/y;
    word.lastIndex = this.pos;
    const found = word.exec(this.text);
    if (!found) throw this.error("expected a field name followed by its type, as in name :string");
    this.pos = word.lastIndex;
    return { name: found[0], type: this.type() };
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
  private error(message: string): SignatureError {
    const before = this.text.slice(0, this.pos).split("\n");
    return new SignatureError(
      `parse error at line ${before.length}, column ${(before.at(-1) as string).length + 1}: ${message}`,
    );
  }
}

const isPrimitive = (name: string): name is PrimitiveName => (PRIMITIVES as readonly string[]).includes(name);
