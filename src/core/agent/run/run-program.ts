import { defined } from "../../base/defined";
import type { Result } from "../../base/failure";
import type { Json } from "../../base/json";
import type { ToolCall } from "../../calls/host";
import { startProgram } from "../../lisp/machine/start";
import type { CallNotes, ProgramEnd, ProgramOptions, ToolRequest } from "../../lisp/program";
import type { Answered } from "./call-tool";

/**
 * Runs a program to its end: tool calls are made as they are requested, all that are ready at once, and the
 * program goes on with each answer as it arrives.
 *
 * One queue and one waiter, no races: answers are taken in the order in which they came, which on Temporal is
 * the order of the history, so a replay goes the same way.
 */
export async function runProgram(
  options: ProgramOptions,
  turn: number,
  callTool: (call: ToolCall, parallel: boolean) => Promise<Answered>,
): Promise<ProgramEnd> {
  const program = startProgram(options);
  const answers: { id: number; answer: Result<Json>; notes: CallNotes }[] = [];
  let fault: { error: unknown } | undefined;
  let wake: () => void = () => {};
  let calls = 0;
  let open = 0;

  const start = async ({ id, name, args, task, intent, parallel }: ToolRequest) => {
    calls += 1;
    open += 1;
    try {
      const place = { ...defined({ task, intent }) };
      const call = { name, args, turn, call: calls, ...place };
      const { answer, notes = {} } = await callTool(call, parallel === true);
      answers.push({ id, answer, notes });
    } catch (error) {
      // Not the tool's own failure (which is an answer), but a cancellation or a bug. It ends the run unchanged.
      fault ??= { error };
    }
    open -= 1;
    wake();
  };

  for (;;) {
    const state = program.run();
    if (state.state === "done") return state.end;
    for (const request of state.requests) void start(request);
    if (answers.length === 0 && fault === undefined) {
      if (open === 0) throw new Error("the program waits, but for no tool");
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (fault !== undefined) throw fault.error;
    for (const { id, answer, notes } of answers.splice(0)) program.resume(id, answer, notes);
  }
}
