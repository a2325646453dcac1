import type { Json, JsonObject } from "../../../../src/core/base/json";
import type { CallToAnswer, GivenAnswer, PlaygroundCall } from "../../../../src/web/playground/playground-calls";

/** The run of a program as the API returns it. */
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
  calls: PlaygroundCall[];
  would_run: CallToAnswer[];
}

/** What is used instead of made-up answers: of single calls, and of all calls of a tool. */
export interface OwnAnswers {
  calls: GivenAnswer[];
  tools: { [tool: string]: { kind: "const"; value: Json } };
}

/** What a call was answered with, to be given to it again. */
export const answerOfCall = ({ tool, args, ok, fail }: PlaygroundCall): GivenAnswer =>
  fail === undefined ? { tool, args, ok: ok ?? null } : { tool, args, error: fail.message };

/** The same call, for people and for comparing. */
export const callText = ({ tool, args }: { tool: string; args: JsonObject }): string =>
  `(tool/${tool} ${JSON.stringify(args)})`;
