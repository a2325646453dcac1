import type { Failure } from "../../base/failure";
import { HostMap } from "../../base/intrinsics";
import { BUILTINS } from "../builtins";
import { compileProgram } from "../compile/compile";
import { Registry } from "../compile/registry";
import type { ContinueProgram, Program, ProgramEnd, ProgramOptions, StartProgram } from "../program";
import { LispError, programError } from "../values/errors";
import { Machine } from "./machine";
import { CannotContinue, namesBefore } from "./machine-state";

/** Reads, checks and prepares a program. A text that cannot run ends at once, before it calls anything. */
export const startProgram: StartProgram = (options) => {
  try {
    if (options.source.length > options.limits.max_source_chars)
      throw new LispError(
        "parse_error",
        "parse_error",
        `the program is ${options.source.length} characters long; the limit is ${options.limits.max_source_chars}`,
        { line: 1, column: 1 },
      );
    const registry = new Registry(options.memory, options.tools, undefined, options.search);
    return new Machine(options, compileProgram(options.source, registry), { builtins: BUILTINS });
  } catch (error) {
    return overAtOnce(options, programError(error).toFailure());
  }
};

/** Continues a program from its state (see `ContinueProgram`). */
export const continueProgram: ContinueProgram = (state, given) => {
  const options: ProgramOptions = { ...given, memory: new HostMap(), history: [] };
  const registry = new Registry(namesBefore(state), options.tools, undefined, options.search);
  try {
    const code = compileProgram(options.source, registry);
    const continued = Machine.from(state, options, code, { builtins: BUILTINS });
    Object.assign(options, continued.given);
    return { program: continued.machine, given: continued.given };
  } catch (error) {
    if (!(error instanceof CannotContinue)) throw error;
    Object.assign(options, error.given);
    return { program: overAtOnce(options, error.fail), given: error.given };
  }
};

function overAtOnce(options: ProgramOptions, fail: Failure): Program {
  const end: ProgramEnd = {
    outcome: { kind: "error", fail },
    memory: options.memory,
    defined: [],
    summaries: new Map(),
    prints: [],
    tool_calls: [],
    pmap_calls: [],
    tool_cache: options.tool_cache,
    warnings: [],
    steps: 0,
  };
  return {
    run: () => ({ state: "done", end }),
    resume: () => {},
    state: () => {
      throw new Error("a program that is over has no state");
    },
  };
}
