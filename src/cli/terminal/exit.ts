import type { ExitCode } from "../../core/base/error-codes";
import { reasonOf } from "../../core/base/failure";
import { asNavigatorError, NavigatorError, thrownText } from "../../core/base/navigator-error";

/** Exit codes (engine reference, section 10). */
export const EXIT = { done: 0, failed: 1, usage: 2, noServer: 3, waiting: 4 } as const satisfies Record<
  string,
  ExitCode
>;
export type { ExitCode };

/** An option or an argument that a command does not take. @param path its name, such as `--limit` */
export const badUsage = (path: string, message: string, hint?: string): NavigatorError =>
  new NavigatorError("bad_usage", message, { hint, details: { path } });

/** An error for people to read, as every interface shows it. */
export interface ErrorReport {
  /** Stable, snake_case. */
  code: string;
  message: string;
  /** What to do next. */
  hint?: string;
  details?: unknown;
}

/**
 * Any thrown value as a report. Errors with a `code` (`NavigatorError`, an error of Node) are shown as they are, and those of the file
 * system name the file. Anything else is a bug and keeps its stack.
 */
export function errorReport(error: unknown): ErrorReport {
  if (!(error instanceof Error)) return { code: "internal_error", message: thrownText(error) };
  const { code, hint, details, syscall, path } = error as Error & Partial<ErrorReport> & NodeJS.ErrnoException;
  if (syscall !== undefined && typeof path === "string") return fileReport(error.message, path);
  if (typeof code !== "string")
    return { code: "internal_error", message: error.message, details: { stack: error.stack ?? "" } };
  const report: ErrorReport = { code, message: error.message };
  if (typeof hint === "string") report.hint = hint;
  if (details !== undefined) report.details = details;
  return report;
}

/** A home without rights, a full disk: whatever asked for the file. */
const fileReport = (problem: string, path: string): ErrorReport => ({
  code: "file_error",
  message: `${path} cannot be used: ${problem}.`,
  hint: "Give this user the right to read and write there, or name other folders: NAVIGATOR_HOME, NAVIGATOR_CACHE, NAVIGATOR_IDENTITY.",
  details: { path },
});

/** An error that another process of ours has reported. */
export const reportedError = ({ code, message, hint, details }: ErrorReport): NavigatorError =>
  asNavigatorError({ reason: reasonOf(code), message, details: details as object | undefined }, { hint });

/**
 * An error may set its own exit code in `exitCode`. A file that cannot be read is bad input. Anything else is a failed
 * run.
 */
export function exitCodeOf(error: unknown): ExitCode {
  const { exitCode, code } = (error ?? {}) as { exitCode?: unknown; code?: unknown };
  const known = Object.values(EXIT).find((value) => value === exitCode);
  if (known !== undefined) return known;
  return code === "ENOENT" || code === "EISDIR" || code === "EACCES" ? EXIT.usage : EXIT.failed;
}
