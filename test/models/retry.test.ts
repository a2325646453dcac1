import { MODEL_ERROR_CLASSES, ModelError } from "../../src/models";
import { isFinal } from "../../src/models/retry";

describe("the last attempt of a call", () => {
  const error = (errorClass: (typeof MODEL_ERROR_CLASSES)[number], retry_after_ms?: number) =>
    new ModelError(errorClass, "no", retry_after_ms === undefined ? {} : { retry_after_ms });

  test.each([
    { errorClass: "server_error", attempt: 7, final: false },
    { errorClass: "server_error", attempt: 8, final: true },
    // Most of its attempts lost their workers.
    { errorClass: "rate_limit", attempt: 40, final: true },
    { errorClass: "rate_limit", attempt: 1, after: 120_000, final: false },
    { errorClass: "timeout", attempt: 1, final: false },
    { errorClass: "malformed_response", attempt: 2, final: false },
    { errorClass: "malformed_response", attempt: 3, final: true },
    { errorClass: "auth_error", attempt: 1, final: true },
    // Another model is waiting.
    { errorClass: "server_error", attempt: 1, brief: true, final: false },
    { errorClass: "server_error", attempt: 2, brief: true, final: true },
    { errorClass: "rate_limit", attempt: 1, after: 2_000, brief: true, final: false },
    { errorClass: "rate_limit", attempt: 1, after: 2_001, brief: true, final: true },
    { errorClass: "timeout", attempt: 1, brief: true, final: true },
    { errorClass: "llm_not_found", attempt: 1, brief: true, final: true },
  ] as const)("$errorClass, attempt $attempt, brief $brief: $final", (row) => {
    const { errorClass, attempt, final } = row;
    const failed = error(errorClass, "after" in row ? row.after : undefined);
    expect(isFinal(failed, attempt, "brief" in row ? "brief" : undefined)).toBe(final);
  });

  test("every class has a rule", () => {
    for (const errorClass of MODEL_ERROR_CLASSES)
      expect(isFinal(error(errorClass), 1, "brief")).toEqual(expect.any(Boolean));
  });
});
