import { HostMap } from "../../base/intrinsics";
import type { BuiltinContext } from "../values/context";
import type { Builtin, Value } from "../values/values";

/** Only one direct call can run at a time, because it never waits. */
const state = {
  /** Steps and bytes that are left. After the call the program's own meter receives the used ones. */
  left: 0,
  bytes: 0,
  /** The largest size of the fiber's stack, in slots and in frames. */
  high: 0,
  deep: 0,
  /** More frames than these are left to the evaluator. */
  deepest: 0,
  /** The most rounds of a loop. */
  rounds: 0,
  /** Changes when definitions may have changed. */
  epoch: 0,
};

/** The definitions and builtins that calls find, and how many functions were translated for them. */
const names = {
  globals: null as ReadonlyMap<string, Value> | null,
  builtins: new HostMap() as ReadonlyMap<string, Builtin>,
  translations: 0,
};

/** The present direct call. A function, because the sandbox of workflows freezes all that modules export. */
export const presentCall = () => state;

/** Where the present call looks names up. */
export const presentNames = () => names;

let definitions = 0;
let known = -1;

/** A definition was made: what calls have found is looked up again. */
export function noteDefinition(): void {
  definitions += 1;
}

/** Calls find these from now on. */
export function lookAt(globals: ReadonlyMap<string, Value>, builtins: ReadonlyMap<string, Builtin>): void {
  if (names.globals === globals && known === definitions) return;
  names.globals = globals;
  names.builtins = builtins;
  known = definitions;
  state.epoch = (state.epoch + 1) % EPOCHS;
}

/** The host's small integers end there. */
const EPOCHS = 1_000_000_000;

/** A program has stopped running: nothing of it is kept. */
export function forget(): void {
  names.globals = null;
  names.translations = 0;
}

class Leave extends Error {}

const LEAVE = new Leave("the evaluator takes over");

/** Ends the direct call: the evaluator makes it again. */
export const leave = (): never => {
  throw LEAVE;
};

/** Charges steps, and leaves the direct run when none are left. */
export const charge = (steps: number): void => {
  state.left -= steps;
  if (state.left < 0) leave();
};

/** Charges bytes of memory, and leaves the direct run when none are left. */
export const allocate = (bytes: number): void => {
  state.bytes -= bytes;
  if (state.bytes < 0) leave();
};

/** What builtins get. Those that are called here ask for nothing but steps and bytes. */
export const directContext: BuiltinContext = {
  charge,
  chargeEach: charge,
  allocate,
  reserve(bytes) {
    if (state.bytes < bytes) leave();
  },
  quick: () => null,
  now: leave,
  print: leave,
  findTools: leave,
};
