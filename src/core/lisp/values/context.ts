/** The search for tools (agent reference, section 4.5). It answers at once, and the same for the same words. */
export interface ToolFinder {
  /** How many tools it looks through. */
  readonly size: number;
  /** The model was not shown all tools. */
  readonly isNeeded: boolean;
  find(words: string, limit?: number): readonly FoundTool[];
}

/** A tool as a search gives it. */
export interface FoundTool {
  name: string;
  /** Empty without one. */
  signature: string;
  description: string;
}

/**
 * What a builtin may ask of the evaluator. Everything is deterministic: time is the host's, work and
 * memory are charged in counted units.
 */
export interface BuiltinContext {
  /** Host time, ms since 1970. */
  now(): number;
  /** Charges evaluation steps (1 = about one evaluated node); throws `LispError` with reason `timeout` when spent. */
  charge(steps: number): void;
  /** Charges an estimate of bytes built; throws `LispError` with reason `memory_exceeded` when spent. */
  allocate(bytes: number): void;
  /** Asks for memory that is needed only during the call. It is not counted, but it is refused in the same way. */
  reserve(bytes: number): void;
  /** Appends to the turn's printed output. */
  print(line: string): void;
  /** The tools that fit the words best (lisp reference, section 9.7). */
  findTools(words: string, limit: number | undefined): readonly FoundTool[];
}
