import type { z } from "zod";
import type { PlainCode } from "../error-codes";
import { type Failure, ok, type Result, receivedFailure } from "../failure";

/** The codes of inputs that have mistakes. Those of a family get the place of the first one. */
type InputCode = PlainCode | "bad_project" | "invalid_decision" | "invalid_input";

/** Reads a value from outside with a schema. All mistakes come back as one failure that names every wrong field. */
export function readInput<T>(schema: z.ZodType<T>, raw: unknown, reason: InputCode, what: string): Result<T> {
  const parsed = schema.safeParse(raw);
  return parsed.success ? ok(parsed.data) : { ok: false, fail: invalidInput(reason, what, parsed.error) };
}

/** A failure that names each wrong field and what is expected. */
export function invalidInput(reason: InputCode, what: string, error: z.ZodError): Failure {
  const issues = error.issues.map((issue) => ({ field: issue.path.join("."), message: messageOf(issue) }));
  const list = issues.map(({ field, message }) => (field === "" ? message : `${field} ${message}`));
  return receivedFailure(reason, `Invalid ${what}: ${list.join("; ")}.`, { path: issues[0]?.field ?? "", issues });
}

/** The schema of a map's keys reports the mistake in a key. */
const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === "invalid_key" ? issue.issues.map(({ message }) => message).join("; ") : issue.message;
