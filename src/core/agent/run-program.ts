import type { Result } from "../failure";
import type { AgentHost } from "../host";
import type { Json } from "../json";
import type { ProgramEnd, StartOptions, ToolRequest } from "../lisp/program";
import { startProgram } from "../lisp/start";

/**
 * Runs a program to its end: tool calls go to the host as they are requested, all that are ready at once, and the
 * program goes on with each answer as it arrives.
 */
export async function runProgram(host: AgentHost, options: StartOptions, turn: number): Promise<ProgramEnd> {
  const program = startProgram(options);
  const answers: { id: number; answer: Result<Json> }[] = [];
  let wake: () => void = () => {};
  let fault: { error: unknown } | null = null;
  let call = 0;

  const start = (request: ToolRequest) => {
    call += 1;
    host
      .callTool({
        name: request.name,
        args: request.args,
        turn,
        call,
        ...(request.task === undefined ? {} : { task: request.task }),
      })
      .then(
        (answer) => {
          answers.push({ id: request.id, answer });
          wake();
        },
        (error: unknown) => {
          // Not the tool's own failure (that is an answer): cancellation, or a bug. It ends the run as it is.
          fault ??= { error };
          wake();
        },
      );
  };

  for (;;) {
    const state = program.run();
    if (state.state === "done") return state.end;
    for (const request of state.requests) start(request);
    if (answers.length === 0 && fault === null)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    if (fault !== null) throw (fault as { error: unknown }).error;
    for (const { id, answer } of answers.splice(0)) program.resume(id, answer);
  }
}
