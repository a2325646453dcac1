import { z } from "zod";
import { jsonBytes } from "../bytes";
import type { Json } from "../json";
import { jsonProblem } from "../json/json-problem";

/**
 * The schema of a JSON value from outside that will be stored, of at most `max_bytes`. It also refuses values nested
 * too deeply for the stack.
 */
export const jsonInput = (max_bytes: number) =>
  z.custom<Json>().superRefine((value, context) => {
    const message = jsonProblem(value) ?? sizeProblem(value, max_bytes);
    if (message !== undefined) context.addIssue({ code: "custom", message: `cannot be taken: ${message}` });
  });

function sizeProblem(value: Json, max_bytes: number): string | undefined {
  const bytes = jsonBytes(value);
  return bytes > max_bytes ? `it is ${bytes} bytes; the limit is ${max_bytes}` : undefined;
}
