import type { JsonObject } from "../../base/json";
import { LISP_LIMITS } from "../../base/limits";
import type { ProgramEnd } from "../program";
import { startProgram } from "./start";

/** Starts a program without tools, memory and clock: it never waits. */
export const startAlone = (source: string, { data = {} as JsonObject, limits = LISP_LIMITS } = {}) =>
  startProgram({
    source,
    data,
    memory: new Map(),
    tools: new Map(),
    journal: null,
    history: [],
    budget: {},
    tool_cache: new Map(),
    limits,
    now: () => 0,
  });

/** Runs a program without tools, memory, clock and data to its end. */
export function runAlone(source: string): ProgramEnd {
  const state = startAlone(source).run();
  if (state.state !== "done") throw new Error("a program without tools waits");
  return state.end;
}
