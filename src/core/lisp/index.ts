/** PTC-Lisp: the public face of the language for the agent loop, the simulator and the command line. */

export type { LispLimits } from "../base/limits";
export { continueProgram, startProgram } from "./machine/start";
export { decodeMemory, encodeMemory, memoryBytes } from "./memory/memory";
export type {
  CallApproval,
  CallNotes,
  ContinueProgram,
  JournalPort,
  MachineState,
  OtherEffectQuestion,
  Program,
  ProgramEnd,
  ProgramOptions,
  ProgramState,
  RecordedCall,
  RecordedCalls,
  StartProgram,
  TaskCall,
  TaskEffects,
  ToolRecord,
  ToolRequest,
} from "./program";
export { decodeValue, encodeValue, fromJson } from "./values/encode";
export { LispError } from "./values/errors";
export { toPlainJson } from "./values/plain-json";
export { printValue, strValue } from "./values/print";
export { Closure, describeFunction, type Value } from "./values/values";
