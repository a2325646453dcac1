import { type Answer, type Asked, evaluate } from "../lisp/evaluate";

/** The clock of workflows stands still while they run; this one the benchmark's workers hand in (worker-clock). */
declare const benchClock: () => number;

/** Evaluates in one workflow task, in the sandbox and from shared code like every program of an agent. */
export async function evaluateInside(asked: Asked): Promise<Answer> {
  return evaluate(asked, benchClock);
}
