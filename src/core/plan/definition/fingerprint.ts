import { callDigest } from "../../base/call-digest";
import { canonical } from "../../base/canonical";
import type { Json, JsonObject } from "../../base/json";
import type { Form } from "../../lisp/read/form";
import { formText } from "../../lisp/read/form-text";
import { read } from "../../lisp/read/reader";
import { LispError } from "../../lisp/values/errors";
import { parseSignature, SignatureError } from "../../signature/parse";
import { renderType } from "../../signature/render";
import { orderedTasks } from "./order";
import { agentOf, type Plan, type PlanTask } from "./plan";
import { referencesIn } from "./templates";

/**
 * A short text for the remaining work of a plan. Two plans that do the same have the same fingerprint, whatever the
 * names of their tasks and agents, their layout and their order. It covers the requests, agents, tools, dependencies
 * and checks; the wording of prompts, case and white space do not count.
 *
 * @param completed existing results are not made again, and count by their id
 */
export function fingerprintOf(plan: Plan, completed: JsonObject): string {
  const known = new Map<string, string>();
  for (const id of Object.keys(completed)) known.set(id, `done ${id}`);
  const work: string[] = [];
  for (const task of orderedTasks(plan)) {
    if (Object.hasOwn(completed, task.id)) continue;
    const print = taskPrint(plan, task, known);
    known.set(task.id, print);
    work.push(print);
  }
  return callDigest({ tool: "plan", args: { work: work.sort() } });
}

function taskPrint(plan: Plan, task: PlanTask, known: ReadonlyMap<string, string>): string {
  const nameOf = (id: string) => known.get(id) ?? id;
  const args: JsonObject = {
    type: task.type,
    input: task.type === "direct" ? programText(String(task.input), nameOf) : inputText(task.input, nameOf),
    depends_on: [...new Set(task.depends_on.map(nameOf))].sort(),
    tools: [...new Set(agentOf(plan, task.agent).tools)].sort(),
    output: task.output,
    signature: signatureText(task.signature),
    verification: task.verification === null ? null : programText(task.verification, nameOf),
    // The handling of a failure is part of a plan: a task that may be skipped is a different one.
    endings: [task.on_failure, task.on_verification_failure, task.critical, retries(task), task.quality_gate],
  };
  return callDigest({ tool: "task", args });
}

const retries = ({ on_failure, on_verification_failure, max_retries }: PlanTask): number =>
  on_failure === "retry" || on_verification_failure === "retry" ? max_retries : 0;

function inputText(input: Json, nameOf: (id: string) => string): Json {
  if (typeof input !== "string") return input;
  const named = referencesIn(input).reduce(
    (text, { text: whole, task_id, fields }) => text.replaceAll(whole, `{{${[nameOf(task_id), ...fields].join(".")}}}`),
    input,
  );
  return plainWords(named);
}

/** Ignores case, white space and punctuation at the end. */
const plainWords = (text: string): string =>
  text
    .toLowerCase()
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.!?\s]+$/, "");

/** Whether two inputs are the same apart from case and spaces. */
export const sameWords = (a: Json, b: Json): boolean => canonical(words(a)) === canonical(words(b));
const words = (input: Json): Json => (typeof input === "string" ? plainWords(input) : input);

/** A program in canonical form; texts in it that are ids stand for their tasks. */
function programText(source: string, nameOf: (id: string) => string): string {
  try {
    return read(source)
      .map((form) => formText(renamed(form, nameOf)))
      .join(" ");
  } catch (error) {
    if (error instanceof LispError) return plainWords(source);
    throw error;
  }
}

function renamed(form: Form, nameOf: (id: string) => string): Form {
  if (form.kind === "literal") return typeof form.value === "string" ? { ...form, value: nameOf(form.value) } : form;
  return "items" in form ? { ...form, items: form.items.map((item) => renamed(item, nameOf)) } : form;
}

function signatureText(signature: string | null): string | null {
  if (signature === null) return null;
  try {
    const { parameters, output } = parseSignature(signature);
    return `${renderType({ kind: "record", fields: parameters })} -> ${renderType(output)}`;
  } catch (error) {
    if (error instanceof SignatureError) return plainWords(signature);
    throw error;
  }
}

/** Whether a plan that failed before would do the same as this one. */
export const isRepeated = (plan: Plan, completed: JsonObject, failed: readonly string[]): boolean =>
  failed.includes(fingerprintOf(plan, completed));
