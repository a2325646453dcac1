import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";

/** How failed model calls are repeated (agent reference, section 5.3), in the form of agents and runs; milliseconds. */
export const LlmRetry = onFirstUse(() => {
  const positive = z.int("must be a positive integer").positive("must be a positive integer");
  return z.strictObject(
    {
      max_attempts: positive.default(1),
      backoff: z
        .enum(["exponential", "linear", "constant"], "must be exponential, linear or constant")
        .default("exponential"),
      base_delay: positive.default(1000),
      /** Classes of errors. */
      retryable_errors: z
        .array(z.string(), "must be a list of error classes")
        .default(["rate_limit", "timeout", "server_error"]),
    },
    "must be a map of max_attempts, backoff, base_delay, retryable_errors",
  );
});
export type LlmRetry = z.output<ReturnType<typeof LlmRetry>>;
