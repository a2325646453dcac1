import type { LispLimits } from "../../base/limits";
import type { ProgramOptions } from "../program";
import type { BuiltinContext } from "../values/context";
import type { Builtin, Value } from "../values/values";
import type { Calling } from "./calling";
import type { Fuel } from "./fuel";
import type { ProgramOutputs } from "./outputs";
import type { Parallel } from "./parallel";
import type { Tasks } from "./tasks";
import type { ToolCalls } from "./tool-calls";

/** The machine as instructions see it: its parts, and what the program was started with. */
export interface MachineParts {
  readonly options: ProgramOptions;
  readonly limits: LispLimits;
  readonly fuel: Fuel;
  readonly outputs: ProgramOutputs;
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
  /** Calls the builtin of an instruction, for arguments that the instruction does not handle itself. */
  plain(name: string, args: Value[]): Value;
}
