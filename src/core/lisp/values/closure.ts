import type { Code } from "../compile/code";
import type { Value } from "./values";

/** A function of the program: its code and the values it closed over. Global names are looked up when it runs. */
export class Closure {
  readonly tag = "closure";
  constructor(
    readonly code: Code,
    readonly captured: readonly Value[],
    readonly doc: string | null = null,
  ) {}

  /** As the program wrote them; destructured ones are `_`. */
  get paramNames(): readonly string[] {
    const { parameters, variadic } = this.code;
    return variadic ? [...parameters.slice(0, -1), "&", parameters.at(-1) as string] : parameters;
  }
  get name(): string | undefined {
    return this.code.name;
  }
  withDoc(doc: string): Closure {
    return new Closure(this.code, this.captured, doc);
  }
}

/** What an inventory says of a function. */
export function describeFunction(closure: Closure): { name: string | undefined; params: string[]; doc: string | null } {
  return { name: closure.name, params: [...closure.paramNames], doc: closure.doc };
}
