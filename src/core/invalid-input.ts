import type { z } from "zod";
import type { Failure } from "./failure";

/** A failure that names each wrong field and what would be right. */
export function invalidInput(reason: string, what: string, error: z.ZodError): Failure {
  const issues = error.issues.map(({ path, message }) => ({ field: path.join("."), message }));
  const list = issues.map(({ field, message }) => (field === "" ? message : `${field} ${message}`));
  return { reason, message: `Invalid ${what}: ${list.join("; ")}.`, details: { issues } };
}
