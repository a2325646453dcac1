/** PTC-Lisp: the public face of the language for the agent loop, the simulator and the command line. */
export { Closure, describeFunction } from "./closure";
export { decodeValue, encodeValue, fromJson } from "./encode";
export { LispError } from "./errors";
export { decodeMemory, encodeMemory, memoryBytes } from "./memory";
export { toPlainJson } from "./plain-json";
export { printValue, strValue } from "./print";
export * from "./program";
export { startProgram } from "./start";
export type { Value } from "./values";
