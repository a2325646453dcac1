import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { LISP_LIMITS } from "../../base/limits";
import { cutText, shortened } from "../../base/whole-characters";
import { startAlone } from "../../lisp/machine/run-alone";
import type { ProgramEnd } from "../../lisp/program";
import { PMap } from "../../lisp/values/collections";
import { lookup } from "../../lisp/values/lookup";
import { printValue } from "../../lisp/values/print";
import { Keyword, type Value } from "../../lisp/values/values";
import { plainText } from "../definition/plain-text";
import type { PlanTask } from "../definition/plan";

/** The verdict of a predicate on a task's value (plan reference, section 3.2). */
type VerificationResult =
  | { kind: "passed" }
  | { kind: "failed"; diagnosis: string }
  /** The predicate itself failed: the value was not checked. */
  | { kind: "crashed"; fail: Failure };

/** A fifth of a program's limit. Counted in steps, because every replay must have the same result. */
const LIMITS = { ...LISP_LIMITS, max_steps: LISP_LIMITS.max_steps / 5 };

const OUTPUT_CHARS = 200;
const INPUT_CHARS = 300;

/** @param depends values of the task's dependencies */
export function verify(task: PlanTask, value: Json, depends: JsonObject): VerificationResult {
  const { verification, input } = task;
  if (verification === null) return { kind: "passed" };
  const data = { result: value, input, depends };
  const state = startAlone(verification, { data, limits: LIMITS }).run();
  if (state.state !== "done") return crashed(task, "a predicate has no tools");
  return judged(task, value, state.end);
}

function judged(task: PlanTask, value: Json, { outcome }: ProgramEnd): VerificationResult {
  switch (outcome.kind) {
    case "error":
      return crashed(task, outcome.fail.message, outcome.fail);
    case "fail":
      return { kind: "failed", diagnosis: failText(outcome.value) };
    default:
      return meaning(task, value, outcome.value);
  }
}

function meaning(task: PlanTask, value: Json, answer: Value): VerificationResult {
  if (answer === true) return { kind: "passed" };
  if (typeof answer === "string") return { kind: "failed", diagnosis: answer };
  if (answer === false) {
    const [output, input] = [shortened(plainText(value), OUTPUT_CHARS), shortened(plainText(task.input), INPUT_CHARS)];
    return {
      kind: "failed",
      diagnosis: `The verification ${task.verification} is false. Output: ${output}. Input: ${input}.`,
    };
  }
  const shown = printValue(answer, { items: 20, chars: OUTPUT_CHARS });
  return {
    kind: "failed",
    diagnosis: `The verification gave an unexpected value: ${cutText(shown, OUTPUT_CHARS)}. It must be true, false or a text.`,
  };
}

function failText(value: Value): string {
  const message = value instanceof PMap ? lookup(value, Keyword.of("message")) : value;
  return typeof message === "string" ? message : printValue(value, { items: 20, chars: OUTPUT_CHARS });
}

function crashed(task: PlanTask, problem: string, cause?: Failure): VerificationResult {
  return {
    kind: "crashed",
    fail: {
      reason: "verification_error",
      message: `The verification of task "${task.id}" failed: ${problem}`,
      details: { task_id: task.id, ...(cause === undefined ? {} : { reason: cause.reason, ...cause.details }) },
    },
  };
}
