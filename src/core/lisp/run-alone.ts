import { LISP_LIMITS } from "../limits";
import type { ProgramEnd } from "./program";
import { startProgram } from "./start";

/** A program with nothing around it, to its end: no tools, so it waits for nothing, no data, no memory, no clock. */
export function runAlone(source: string): ProgramEnd {
  const state = startProgram({
    source,
    data: {},
    memory: new Map(),
    tools: new Map(),
    journal: null,
    history: [],
    budget: {},
    tool_cache: new Map(),
    limits: LISP_LIMITS,
    now: () => 0,
  }).run();
  if (state.state !== "done") throw new Error("a program without tools waits");
  return state.end;
}
