import type { LispLimits } from "../../base/limits";
import type { StartOptions } from "../program";
import type { BuiltinContext } from "../values/context";
import type { Builtin, Value } from "../values/values";
import type { Budget } from "./budget";
import type { Calling } from "./calling";
import type { Parallel } from "./parallel";
import type { Remains } from "./remains";
import type { Tasks } from "./tasks";
import type { ToolCalls } from "./tool-calls";

/** The machine as instructions see it: its parts, and what the program was started with. */
export interface MachineParts {
  readonly options: StartOptions;
  readonly limits: LispLimits;
  readonly budget: Budget;
  readonly remains: Remains;
  readonly tools: ToolCalls;
  readonly tasks: Tasks;
  readonly parallel: Parallel;
  readonly calling: Calling;
  readonly context: BuiltinContext;
  /** `data/...`. */
  readonly data: ReadonlyMap<string, Value>;
  /** `(budget/remaining)`. */
  readonly remaining: Value;
  readonly builtins: ReadonlyMap<string, Builtin>;
  /** The value of a builtin behind an instruction of its own, for what the instruction does not do itself. */
  plain(name: string, args: Value[]): Value;
}
