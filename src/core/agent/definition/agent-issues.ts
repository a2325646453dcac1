import type { z } from "zod";
import { didYouMean } from "../../base/input/did-you-mean";
import { ModelSettings } from "../../calls/model-settings";

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
        message: `unknown option "${key}"${hint(key, issue.path, options)}`,
      }));
    if (issue.code === "invalid_union") {
      const inner = issue.errors.flat().find((one) => one.path.length > 0 || one.code === "unrecognized_keys");
      const found = inner ?? issue.errors.flat().at(-1);
      return [{ path: pathText([...issue.path, ...(found?.path ?? [])]), message: found?.message ?? issue.message }];
    }
    return [{ path: pathText(issue.path), message: issue.message }];
  });
}

/** The names of agent options in other systems. */
const OTHER_WORDS = new Map([
  ["instructions", "prompt"],
  ["system", "prompt"],
  ["maxsteps", "max_turns"],
]);

/** The place of the option, or a suggestion for its name. */
function hint(key: string, path: readonly PropertyKey[], options: readonly string[]): string {
  const settings = Object.keys(ModelSettings().shape);
  if (path.at(-1) === "model_settings") return after(suggestion(key, settings));
  if (path.length > 0) return "";
  const own = suggestion(key, options);
  if (own !== "") return after(own);
  const setting = settings.find((name) => suggestion(key, [name]) !== "");
  return setting === undefined ? "" : `; write it as model_settings.${setting}`;
}

function suggestion(key: string, options: readonly string[]): string {
  const other = OTHER_WORDS.get(letters(key));
  if (other !== undefined && options.includes(other)) return `it is called ${other} here`;
  const same = options.find((option) => letters(option) === letters(key));
  return same === undefined ? didYouMean(key, options) : `did you mean ${same}?`;
}

const after = (advice: string): string => (advice === "" ? "" : `; ${advice}`);

const letters = (name: string): string => name.replace(/[_-]/g, "").toLowerCase();
