import { z } from "zod";
import { failed, ok, type Result } from "../failure";
import { isObject } from "../is-object";
import type { Json, JsonObject } from "../json";
import { jsonFault, MAX_DEPTH } from "../json/json-problem";
import { onFirstUse } from "../on-first-use";
import { didYouMean } from "./did-you-mean";

/**
 * The input of a workflow, which any client may have sent, and any workflow that continues as new. A mistake that nobody names would
 * fail the tasks of the workflow for ever.
 */

/** The fields that the input of a workflow has, each with its schema. A part with a separate reader has `z.unknown()`. */
interface InputFields {
  /** What every client may give. */
  fields: z.ZodRawShape;
  /** What only Navigator gives, in the input of a child or a retry: other clients get the error for an unknown field. */
  internal?: z.ZodRawShape;
  /** What a run gives only to the run that continues it. */
  continuedFields?: z.ZodRawShape;
}

/** Who has written an input. */
export interface InputOrigin {
  /** false: Navigator, perhaps a newer version. Fields that are not known here are passed over. */
  knownFields: boolean;
  /** The run continues another one, which may have been a workflow of any kind, or one of a cron schedule or a retry policy. */
  continued?: boolean;
}

/** One mistake in the input of a workflow: its place (`agent.max_turns`, "" for the whole), and what would be right. */
export interface InputMistake {
  path: string;
  message: string;
}

/** Returns the value of a part that has a separate reader, and keeps its mistakes. The value of a wrong part is undefined. */
type TakePart = <T>(path: string, read: Result<T>) => T;

/**
 * Makes the reader of a workflow's input. It refuses (`invalid_input`) an input with mistakes, and names every one in `details.issues`.
 *
 * @param needs the parts that matter, for a sender of something else: `agent and context`
 * @param read reads the parts with separate readers. The function that it returns makes the whole input, if nothing is wrong
 */
export function workflowInput<T, Origin extends InputOrigin>(
  workflow: string,
  needs: string,
  fieldsOf: () => InputFields,
  read: (raw: JsonObject, take: TakePart, origin: Origin, mistakes: InputMistake[]) => () => T,
): (given: unknown, origin: Origin) => Result<T> {
  const known = onFirstUse(() => {
    const { fields, internal = {}, continuedFields = {} } = fieldsOf();
    return {
      fields,
      internal,
      continuedFields,
      schema: z.strictObject({ ...fields, ...internal, ...continuedFields }),
    };
  });
  return (given, origin) => {
    const fault =
      given === undefined
        ? undefined
        : jsonFault(withoutFields(given, known().continuedFields), { levels: MAX_LEVELS });
    if (fault) return invalidWorkflowInput(workflow, [fault]);
    if (!isObject(given))
      return invalidWorkflowInput(workflow, [
        { path: "", message: `it must be an object with ${needs}, got ${shownKind(given)}` },
      ]);
    const mistakes: InputMistake[] = [];
    const take: TakePart = (path, result) => {
      mistakes.push(...mistakesOf(path, result));
      return (result.ok ? result.value : undefined) as never;
    };
    const whole = read(given, take, origin, mistakes);
    mistakes.push(...fieldMistakes(known(), given, origin));
    return mistakes.length > 0 ? invalidWorkflowInput(workflow, mistakes) : ok(whole());
  };
}

type KnownFields = Required<InputFields> & { schema: z.ZodObject };

function fieldMistakes(
  { fields, internal, continuedFields, schema }: KnownFields,
  raw: JsonObject,
  { knownFields, continued = false }: InputOrigin,
): InputMistake[] {
  const noField = (key: string) => `is not a field${likely(key, Object.keys(fields))}`;
  const refused = Object.keys(raw).flatMap((path): InputMistake[] => {
    if (Object.hasOwn(continuedFields, path) && !continued)
      return [{ path, message: "comes only from the run before" }];
    const isHidden = Object.hasOwn(internal, path) || !Object.hasOwn(schema.shape, path);
    return isHidden && knownFields ? [{ path, message: noField(path) }] : [];
  });
  const isRefused = new Set(refused.map(({ path }) => path));
  const issues = schema.safeParse(raw).error?.issues ?? [];
  const wrong = issues.flatMap(({ path, message, ...issue }): InputMistake[] => {
    if (isRefused.has(String(path[0]))) return [];
    if (issue.code !== "unrecognized_keys") return [{ path: pathText(path), message }];
    return path.length === 0
      ? []
      : issue.keys.map((key) => ({ path: pathText([...path, key]), message: "is not a field" }));
  });
  return [...wrong, ...refused];
}

/** Parts of an input stand a few levels below it, and each may be as deep as a value may be. */
const MAX_LEVELS = MAX_DEPTH + 20;

/** What a run carries over may be deeper: nothing here walks through it. */
const withoutFields = (given: unknown, fields: z.ZodRawShape): unknown =>
  isObject(given) ? Object.fromEntries(Object.entries(given).filter(([key]) => !Object.hasOwn(fields, key))) : given;

/** The failure of an input with mistakes: reason `invalid_input`, every mistake in `details.issues`. */
export function invalidWorkflowInput(workflow: string, issues: readonly InputMistake[]): Result<never> {
  const list = issues.map(({ path, message }) => (path === "" ? message : `${path} ${message}`));
  const count = issues.length === 1 ? "a mistake" : `${issues.length} mistakes`;
  return failed("invalid_input", `The input of ${workflow} has ${count}: ${list.join("; ")}.`, {
    path: issues[0]?.path ?? "",
    issues: issues.map((issue) => ({ ...issue })),
  });
}

/** The mistakes of a part that has a separate reader, with their places in the whole. */
export function mistakesOf(path: string, result: Result<unknown>): InputMistake[] {
  if (result.ok) return [];
  const { issues } = result.fail.details ?? {};
  if (!Array.isArray(issues) || issues.length === 0) return [{ path, message: `is wrong: ${result.fail.message}` }];
  const prefix = result.fail.reason === "invalid_input" ? "" : "is wrong: ";
  return issues.map((issue) => {
    const { path: own, field, message } = issue as { path?: string; field?: string; message: string };
    const at = own ?? field ?? "";
    return { path: at === "" ? path : `${path}.${at}`, message: `${prefix}${message}` };
  });
}

/** What a value is, for messages. */
export function shownKind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** The fields that name the conventions of a run. */
export const formatFields = () => ({
  format: z.int("must be a whole number").min(1, "must be a whole number").optional(),
  flags: z.array(z.string("must be a text"), "must be a list of texts").optional(),
});

/** A text that is not empty. */
export const text = () => z.string("must be a text").min(1, "must be a non-empty text");
/** A whole number, 0 or more. */
export const count = () => {
  const wanted = "must be a whole number, 0 or more";
  return z.int(wanted).min(0, wanted);
};

/**
 * An optional field whose values look like an example, `{turn: 0, "messages?": []}`: `?` marks fields that may be absent or null. There
 * may be more fields. The check is cheap and not complete.
 */
export const like = (example: Json) =>
  z
    .any()
    .superRefine((value, context) => {
      for (const { path, message } of unlike(example, value)) context.addIssue({ code: "custom", path, message });
    })
    .optional();

function unlike(example: Json, value: unknown, path: string[] = []): { path: string[]; message: string }[] {
  const [wanted, given] = [shownKind(example), shownKind(value)];
  if (given !== wanted) return [{ path, message: `must be ${wanted}, got ${given}` }];
  if (!isObject(example) || !isObject(value)) return [];
  return Object.entries(example).flatMap(([field, one]) => {
    const name = field.replace("?", "");
    return name !== field && (value[name] ?? null) === null ? [] : unlike(one, value[name], [...path, name]);
  });
}

const likely = (key: string, fields: readonly string[]) => {
  if (fields.length === 0) return ": there is none";
  const hint = didYouMean(key, fields);
  return `; ${hint === "" ? `there are ${fields.join(", ")}` : hint}`;
};

const pathText = (path: readonly PropertyKey[]) =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? String(part) : `${text}.${String(part)}`,
    "",
  );
