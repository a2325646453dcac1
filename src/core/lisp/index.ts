/** PTC-Lisp: the public face of the language for the agent loop, the simulator and the command line. */

export * from "./program";
export { startProgram } from "./start";
export { printValue, strValue } from "./text/print";
export { Closure, describeFunction } from "./values/closure";
export { decodeValue, encodeValue, fromJson } from "./values/encode";
export { LispError } from "./values/errors";
export { decodeMemory, encodeMemory, memoryBytes } from "./values/memory";
export { toPlainJson } from "./values/plain-json";
export type { Value } from "./values/values";
