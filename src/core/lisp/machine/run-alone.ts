import type { JsonObject } from "../../base/json";
import { LISP_LIMITS } from "../../base/limits";
import type { ProgramEnd } from "../program";
import { startProgram } from "./start";

/** A program with nothing around it: no tools, so it waits for nothing, no memory, no clock. */
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

/** The same without data, to its end. */
export function runAlone(source: string): ProgramEnd {
  const state = startAlone(source).run();
  if (state.state !== "done") throw new Error("a program without tools waits");
  return state.end;
}
