import { z } from "zod";
import { failed, ok, type Result } from "../failure";
import { isObject } from "../is-object";
import type { JsonObject } from "../json";
import { jsonFault } from "../json/json-problem";
import { didYouMean } from "./did-you-mean";

/** One mistake in the input of a workflow: its place (`agent.max_turns`, "" for the whole), and what would be right. */
export interface InputMistake {
  path: string;
  message: string;
}

/** The failure of an input with mistakes: reason `invalid_input`, every mistake in `details.issues`. */
export function invalidWorkflowInput(workflow: string, issues: readonly InputMistake[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  const count = issues.length === 1 ? "a mistake" : `${issues.length} mistakes`;
  return failed("invalid_input", `The input of ${workflow} has ${count}: ${list.join("; ")}.`, {
    issues: issues.map((issue) => ({ ...issue })),
  });
}

/** The fields of every workflow's input that name the conventions of its run. */
export const formatFields = () => ({
  format: z.int("must be a whole number").min(1, "must be a whole number").optional(),
  flags: z.array(z.string("must be a text"), "must be a list of texts").optional(),
});

/**
 * The mistakes in the fields of an input.
 *
 * @param schema of all fields; one of a strict object
 * @param knownFields false: fields of the input itself that are not known here are passed over, since a newer client may
 *   have sent them
 */
export function fieldMistakes(schema: z.ZodObject, raw: JsonObject, knownFields: boolean): InputMistake[] {
  const issues = schema.safeParse(raw).error?.issues ?? [];
  const fields = Object.keys(schema.shape);
  return issues.flatMap((issue): InputMistake[] => {
    if (issue.code !== "unrecognized_keys") return [{ path: pathText(issue.path), message: issue.message }];
    const ofInput = issue.path.length === 0;
    if (ofInput && !knownFields) return [];
    return issue.keys.map((key) => ({
      path: pathText([...issue.path, key]),
      message: `is not a field${ofInput ? likely(key, fields) : ""}`,
    }));
  });
}

/** The mistakes of a part that has a reader of its own, with their places in the whole. */
export function mistakesOf(path: string, result: Result<unknown>): InputMistake[] {
  if (result.ok) return [];
  const { issues } = result.fail.details ?? {};
  if (!Array.isArray(issues) || issues.length === 0) return [{ path, message: `is wrong: ${result.fail.message}` }];
  const said = result.fail.reason === "invalid_input" ? "" : "is wrong: ";
  return issues.map((issue) => {
    const { path: own, field, message } = issue as { path?: string; field?: string; message: string };
    const at = own ?? field ?? "";
    return { path: at === "" ? path : `${path}.${at}`, message: `${said}${message}` };
  });
}

/**
 * Whether an input is an object that can be read on: inputs come as JSON, and may still be nested too deeply.
 *
 * @param parts what it should have, for the message
 */
export function readableInput(workflow: string, raw: unknown, parts: string): Result<JsonObject> {
  const fault = jsonFault(raw);
  if (fault && raw !== undefined) return invalidWorkflowInput(workflow, [fault]);
  if (isObject(raw)) return ok(raw);
  return invalidWorkflowInput(workflow, [
    { path: "", message: `it must be an object with ${parts}, got ${shownKind(raw)}` },
  ]);
}

/** What a value is, for messages. */
export function shownKind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

const likely = (key: string, fields: readonly string[]) => {
  const hint = didYouMean(key, fields);
  return `; ${hint === "" ? `there are ${fields.join(", ")}` : hint}`;
};

const pathText = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    "",
  );
