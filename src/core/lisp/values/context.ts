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

/** Elements in order. */
export interface Elements<V> {
  readonly length: number;
  at(index: number): V;
}

/** Calls a function of the program that only computes. */
export interface Quick<V> {
  /** The answer to one element; undefined when it has to be asked of the evaluator, and nothing has happened yet. */
  one(element: V): V | undefined;
  /**
   * Calls with one element after the other, from an index on; each answer is written to the same place of `answers`.
   *
   * @returns the index of the first element that has to be asked of the evaluator, or the number of elements
   */
  each(elements: Elements<V>, from: number, answers: V[]): number;
  /** Combines one element after the other with what came before; `result` has the last answer. @returns as `each` */
  fold(elements: Elements<V>, from: number, start: V): number;
  readonly result: V;
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
  /** Charges one step so many times. */
  chargeEach(times: number): void;
  /** Charges an estimate of bytes built; throws `LispError` with reason `memory_exceeded` when spent. */
  allocate(bytes: number): void;
  /** Asks for memory that is needed only during the call. It is not counted, but it is refused in the same way. */
  reserve(bytes: number): void;
  /** Appends to the turn's printed output. */
  print(line: string): void;
  /**
   * How a builtin may call a function of the program without asking the evaluator, so many times; null when it has to ask.
   */
  quick<V>(fn: V, times: number): Quick<V> | null;
  /** The tools that fit the words best (lisp reference, section 9.7). */
  findTools(words: string, limit: number | undefined): readonly FoundTool[];
}
