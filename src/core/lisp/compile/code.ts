import type { Form } from "../read/form";
import type { Place } from "../values/errors";
import type { FunctionCode, Value } from "../values/values";

/** The machine's instructions. Operands follow the opcode in the same array. */
export const Op = {
  CONST: 0, // k
  LOCAL: 1, // slot
  SET_LOCAL: 2, // slot; pops
  CAPTURED: 3, // index
  GLOBAL: 4, // k: name
  GLOBAL_OR_NIL: 5, // k: name
  POP: 6,
  DUP: 7,
  JUMP: 8, // target
  JUMP_IF_FALSE: 9, // target; pops
  JUMP_IF_TRUE: 10, // target; pops
  JUMP_KEEP_FALSE: 11, // target: jumps keeping a false value, else pops
  JUMP_KEEP_TRUE: 12, // target: jumps keeping a true value, else pops
  CALL: 13, // argument count
  RETURN: 14,
  CLOSURE: 15, // k: Code; captures as described there
  VECTOR: 16, // count
  MAP: 17, // count of entries
  SET: 18, // count
  DEF: 19, // k: name, k: docstring or nil
  IS_DEFINED: 20, // k: name
  VAR: 21, // k: name
  LOOP_START: 22, // counter slot
  RECUR: 23, // first slot, count, counter slot, target
  RECUR_FN: 24, // counter slot
  NTH: 25, // index: top must be vector or nil; pushes the element
  REST: 26, // from index
  CHECK_VECTOR: 27, // pattern is positional: top must be vector or nil
  CHECK_MAP: 28, // pattern is associative: top must be map or nil
  LOOKUP: 29, // k: key; replaces the top map by the value
  LOOKUP_OR: 30, // k: key, k: default for an absent key
  SEQ: 31, // top becomes a vector to iterate over (for, doseq)
  ITERATE: 32, // slot of vector, slot of index, target when done; pushes the element
  APPEND: 33, // slot of a vector: appends the popped value
  TOOL: 34, // k: name, argument count; the arguments are on the stack
  TASK: 35, // target after the body
  TASK_DONE: 36,
  STEP_DONE: 37,
  TASK_RESET: 38,
  SIGNAL_RETURN: 39,
  SIGNAL_FAIL: 40,
  PMAP: 41,
  PCALLS: 42, // count
  DATA: 43, // k: key
  BUDGET: 44,
  HISTORY: 45, // 0..2
  NATIVE: 46, // k: name of the form, k: its literal parts, count of values on the stack
  ADD: 47,
  SUB: 48,
  MUL: 49,
  LT: 50,
  GT: 51,
  LE: 52,
  GE: 53,
  EQ: 54,
  INC: 55,
  DEC: 56,
  NOT: 57,
  TOOL_TRY: 59, // as TOOL; pushes {:ok value} or {:error {...}}
  LOOKUP_OR_ELSE: 58, // k: key, target: replaces the top map by the value and jumps; pops it when the key is absent
} as const;

/**
 * Calls that have a special instruction, by name and argument count. Each falls back to the builtin if an
 * argument is no small integer.
 */
export const INLINE: ReadonlyMap<string, number> = new Map([
  ["+/2", Op.ADD],
  ["-/2", Op.SUB],
  ["*/2", Op.MUL],
  ["</2", Op.LT],
  [">/2", Op.GT],
  ["<=/2", Op.LE],
  [">=/2", Op.GE],
  ["=/2", Op.EQ],
  ["inc/1", Op.INC],
  ["dec/1", Op.DEC],
  ["not/1", Op.NOT],
]);

/** One compiled function, or the program itself. */
export interface Code extends FunctionCode {
  ops: number[];
  constants: (Value | Code | Form[])[];
  /** Place of the instruction at each index of `ops` (only opcodes have one). */
  places: (Place | undefined)[];
  parameters: string[];
  arity: number;
  variadic: boolean;
  slots: number;
  /** Where each captured value comes from when the closure is made. */
  captures: { name: string; from: "local" | "captured"; index: number }[];
  /** The text it comes from: the same object for all functions of one program. */
  text: object;
  /** The form it was compiled from: what is written down when the closure must survive. */
  form: Form | null;
  /** That form as text, once it was needed. */
  formText?: string;
  /** What `lisp/direct` has made of it, and how often it was called before. */
  direct: object | null;
  calls: number;
}

/** Whether a constant is the code of a nested function. */
export const isCode = (constant: unknown): constant is Code =>
  typeof constant === "object" && constant !== null && "ops" in constant;
