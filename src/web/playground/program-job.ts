import type { Failure, Result } from "../../core/base/failure";
import type { Json, JsonObject } from "../../core/base/json";
import type { LispLimits } from "../../core/base/limits";
import type { ToolRequest } from "../../core/lisp/program";

/** A program to run in a separate thread, as plain data. */
export interface ProgramJob {
  source: string;
  data: JsonObject;
  /** Definitions of an earlier program. */
  memory: JsonObject;
  /** Records of tasks by id; null: tasks are not recorded. */
  journal: JsonObject | null;
  tools: { name: string; cache?: boolean }[];
  /** The type that the result must fit. */
  signature?: string;
  limits: LispLimits;
}

/** How it ended. */
export interface ProgramOutcome {
  ok?: Json;
  fail?: Failure & { line?: number; column?: number; value?: Json };
  prints: string[];
  /** Its definitions; those given when it failed by an error. */
  memory: JsonObject;
  journal?: JsonObject;
  warnings: { code: string; message: string }[];
  /** Evaluation steps. */
  steps: number;
}

/** A message of the thread: the calls that it waits for, or the end of the program. */
export type FromThread = { calls: ToolRequest[] } | { end: ProgramOutcome };

/** The answers to the calls. */
export type ToThread = { id: number; answer: Result<Json> }[];
