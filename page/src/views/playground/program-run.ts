import type { Json, JsonObject } from "../../../../src/core/base/json";

/** A call that a program made. */
export interface MadeCall {
  tool: string;
  args: JsonObject;
  effect: "read" | "write" | "irreversible";
  from: "given" | "stub" | "sample" | "real";
  ok?: Json;
  fail?: { reason: string; message: string };
  took_ms: number;
}

/** A call that was not made. */
export interface HeldCall {
  tool: string;
  args: JsonObject;
  effect: "read" | "write" | "irreversible";
  why: "effect" | "approval" | "later";
}

/** What the API says of a run of a program. */
export interface ProgramRun {
  status: "done" | "needs_confirmation";
  run: string;
  ok?: Json;
  fail?: { reason: string; message: string; line?: number; column?: number };
  prints: string[];
  warnings: { code: string; message: string }[];
  memory?: JsonObject;
  journal?: JsonObject;
  steps?: number;
  calls: MadeCall[];
  would_run: HeldCall[];
}

/** The answer of one call. */
export type CallAnswer = { tool: string; args: JsonObject } & ({ ok: Json } | { error: string });

/** What is used instead of made-up answers: of single calls, and of all calls of a tool. */
export interface OwnAnswers {
  calls: CallAnswer[];
  tools: { [tool: string]: { kind: "const"; value: Json } };
}

/** What a call was answered with, to be given to it again. */
export const answerOfCall = ({ tool, args, ok, fail }: MadeCall): CallAnswer =>
  fail === undefined ? { tool, args, ok: ok ?? null } : { tool, args, error: fail.message };

/** The same call, for people and for comparing. */
export const callText = ({ tool, args }: { tool: string; args: JsonObject }): string =>
  `(tool/${tool} ${JSON.stringify(args)})`;
