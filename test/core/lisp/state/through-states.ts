import { continueProgram, type Program, type ProgramOptions, printValue } from "../../../../src/core/lisp";
import { startProgram as start } from "../../../../src/core/lisp/machine/start";
import { encodeMemory } from "../../../../src/core/lisp/memory/memory";
import type { ProgramEnd, ProgramState } from "../../../../src/core/lisp/program";

/** A program that is written down and read again each time it waits. */
export function throughStates(options: ProgramOptions, onState: (bytes: number) => void = () => {}): Program {
  let program = start(options);
  return {
    run: () => {
      const state = program.run();
      if (state.state === "waiting") {
        const text = JSON.stringify(program.state());
        onState(text.length);
        program = continueProgram(JSON.parse(text), options).program;
      }
      return state;
    },
    resume: (id, answer, notes) => program.resume(id, answer, notes),
    state: () => program.state(),
  };
}

/** Everything that can be seen of a program: its requests in order, and its end. */
export function course(program: Program, answer: (state: ProgramState & { state: "waiting" }) => void) {
  const requests: unknown[] = [];
  for (;;) {
    const state = program.run();
    if (state.state === "done") return { requests, end: seen(state.end) };
    requests.push(...state.requests);
    answer(state);
  }
}

function seen(end: ProgramEnd) {
  const { outcome } = end;
  return {
    ...end,
    outcome: outcome.kind === "error" ? outcome : { kind: outcome.kind, value: shown(() => printValue(outcome.value)) },
    memory: shown(() => encodeMemory(end.memory)),
    summaries: [...end.summaries],
    tool_cache: [...end.tool_cache],
  };
}

function shown(body: () => unknown): unknown {
  try {
    return body();
  } catch (error) {
    return String(error);
  }
}
