/** `navigator-agents/lisp`: the language PTC-Lisp alone, for tools that need no agent and no server. */

export { LISP_LIMITS, type LispLimits } from "../core/base/limits";
export {
  type JournalPort,
  type Program,
  type ProgramEnd,
  type ProgramOptions,
  type ProgramState,
  printValue,
  startProgram,
  type ToolRecord,
  type ToolRequest,
  toPlainJson,
  type Value,
} from "../core/lisp";
export { lispProblem } from "../core/plan/definition/validate";
export { type LispResult, type RunLispOptions, runLisp } from "../simulate/run-lisp";
