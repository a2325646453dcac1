import type { z } from "zod";
import { didYouMean } from "../../lisp/compile/hints";

/** One mistake: its place (`tools[0].signature`, "" for the whole) and what is expected. */
export interface AgentIssue {
  path: string;
  message: string;
  [key: string]: string;
}

/** Turns `["tools", 0, "name"]` into the place as its author wrote it. */
export type PathText = (path: readonly PropertyKey[]) => string;

/** The findings of a type check as messages. */
export function typeIssues(error: z.ZodError, options: readonly string[], pathText: PathText): AgentIssue[] {
  return error.issues.flatMap((issue): AgentIssue[] => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key) => ({
        path: pathText([...issue.path, key]),
        message: `unknown option "${key}"${hint(key, issue.path.length === 0 ? options : [])}`,
      }));
    if (issue.code === "invalid_union") {
      const inner = issue.errors.flat().find((one) => one.path.length > 0 || one.code === "unrecognized_keys");
      const found = inner ?? issue.errors.flat().at(-1);
      return [{ path: pathText([...issue.path, ...(found?.path ?? [])]), message: found?.message ?? issue.message }];
    }
    return [{ path: pathText(issue.path), message: issue.message }];
  });
}

function hint(key: string, options: readonly string[]): string {
  const likely = didYouMean(key, options);
  return likely === "" ? "" : `; ${likely}`;
}
