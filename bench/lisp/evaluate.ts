import { runAlone } from "../../src/core/lisp/machine/run-alone";

/** A program to be evaluated so many times in a row. */
export interface Asked {
  program: string;
  times: number;
}

export interface Answer {
  /** Of each evaluation, from the text to the value. */
  ms: number[];
  /** A number that it gave, `!! reason` when it failed; other values are not told, they may be too large to be sent. */
  value: unknown;
  /** Evaluation steps of one evaluation. */
  steps: number;
}

/** The same code inside a workflow and outside: only the clock comes from elsewhere. */
export function evaluate({ program, times }: Asked, clock: () => number): Answer {
  const answer: Answer = { ms: [], value: undefined, steps: 0 };
  for (let i = 0; i < times; i++) {
    const start = clock();
    const { outcome, steps } = runAlone(program);
    answer.ms.push(clock() - start);
    if (outcome.kind === "error") answer.value = `!! ${outcome.fail.reason}`;
    else if (typeof outcome.value === "number") answer.value = outcome.value;
    answer.steps = steps;
  }
  return answer;
}
