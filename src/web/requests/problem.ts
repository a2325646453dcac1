import { z } from "zod";
import { ERROR_CODES, type ErrorClass, isErrorCode } from "../../core/base/error-codes";
import { NavigatorError } from "../../core/base/navigator-error";

/** What a request that fails is answered with (RFC 9457), as `application/problem+json` (web reference, section 3). */
export const Problem = z
  .object({
    type: z.string().meta({ example: "urn:navigator:error:task_not_found" }),
    title: z.string().meta({ description: "When this error is raised" }),
    status: z.number().int(),
    code: z
      .string()
      .meta({ description: "The stable name of the error: docs/errors.md lists all", example: "task_not_found" }),
    detail: z.string().meta({ description: "What was wrong, and where" }),
    hint: z.string().optional().meta({ description: "What helps" }),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

export const PROBLEM_TYPE = "application/problem+json";

/** What a class of errors means over HTTP. How work ended is no failure of a request that starts or shows it. */
const STATUS_OF_CLASS: { readonly [errorClass in ErrorClass]: number } = {
  input: 400,
  absent: 404,
  state: 409,
  server: 503,
  source: 502,
  agent: 422,
  plan: 422,
  model: 422,
  program: 422,
  internal: 500,
};

const STATUS_OF_CODE: { readonly [code: string]: number } = {
  access_denied: 403,
  agents_may_not_decide: 403,
  bad_link: 403,
  bad_signature: 403,
  forbidden: 403,
  not_an_assignee: 403,
  not_logged_in: 403,
  payload_too_large: 413,
  self_approval: 403,
  too_many_requests: 429,
  unauthenticated: 401,
  unverified_decision: 403,
  // A mistake of the project, and not of the sender.
  hook_failed: 500,
};

/** The problem that an error is. Errors of other kinds are bugs: their text is for the log, not for callers. */
export function problemFor(error: unknown): Problem {
  const known =
    error instanceof NavigatorError
      ? error
      : new NavigatorError(
          "internal_error",
          "An internal error occurred in Navigator. The log of the server has more.",
        );
  const { code, message, hint, details } = known;
  const entry = isErrorCode(code) ? ERROR_CODES[code] : undefined;
  return {
    type: `urn:navigator:error:${code}`,
    title: entry?.meaning ?? "A program of the project ended so.",
    status: STATUS_OF_CODE[code] ?? STATUS_OF_CLASS[entry?.class ?? "program"],
    code,
    detail: message,
    ...(hint === undefined ? {} : { hint }),
    ...(details === undefined ? {} : { details }),
  };
}
