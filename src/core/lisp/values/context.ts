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
}
