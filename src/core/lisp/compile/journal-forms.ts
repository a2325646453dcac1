import { type Form, isSymbol, list, symbol } from "../read/form";
import { inCard } from "../values/doc";
import { UNDO } from "../values/tool-values";
import { Keyword } from "../values/values";
import { analysisError } from "./analysis-error";
import { Op } from "./code";
import type { FormCompiler } from "./emit";
import { toolCall } from "./namespaces";
import { formArguments, type SpecialForm, specialForm } from "./special-form";

/** Control signals, the journal and parallel sections (lisp reference, section 8). */

const signal =
  (name: "return" | "fail", op: number): FormCompiler =>
  (emit, form) => {
    const [value] = formArguments(form, `(${name} value)`, 1);
    emit.form(value as Form);
    emit.fn.emit(form.at, op);
  };

const task: FormCompiler = (emit, form) => {
  const [id, body] = formArguments(form, '(task "id" expression)', 2);
  emit.form(id as Form);
  const skip = emit.fn.emit(form.at, Op.TASK, 0) + 1;
  emit.form(body as Form);
  emit.fn.emit(form.at, Op.TASK_DONE);
  emit.fn.patch(skip);
};

const toolTry: FormCompiler = (emit, form) => {
  const usage = "(tool-try (tool/name {...}))";
  const [call] = formArguments(form, usage, 1);
  const head = call?.kind === "list" ? call.items[0] : undefined;
  if (call?.kind !== "list" || !isSymbol(head) || !head.name.startsWith("tool/"))
    throw analysisError("invalid_form", `tool-try takes one tool call, as in ${usage}`, call?.at ?? form.at);
  toolCall(emit, call, head.name.slice("tool/".length), Op.TOOL_TRY);
};

const stepDone: FormCompiler = (emit, form) => {
  for (const arg of formArguments(form, '(step-done "id" "summary")', 2)) emit.form(arg);
  emit.fn.emit(form.at, Op.STEP_DONE);
};

const taskReset: FormCompiler = (emit, form) => {
  for (const arg of formArguments(form, '(task-reset "id")', 1)) emit.form(arg);
  emit.fn.emit(form.at, Op.TASK_RESET);
};

/** A call of the host, which answers for it like for a tool. */
const undo: FormCompiler = (emit, form) => {
  const [id] = formArguments(form, '(undo "id")', 1);
  const { at } = form;
  const items: Form[] = [symbol(`tool/${UNDO}`, at), { kind: "literal", value: Keyword.of("task"), at }, id as Form];
  toolCall(emit, list(items, at), UNDO, Op.TOOL);
};

const pmap: FormCompiler = (emit, form) => {
  for (const arg of formArguments(form, "(pmap f coll)", 2)) emit.form(arg);
  emit.fn.emit(form.at, Op.PMAP);
};

const pcalls: FormCompiler = (emit, form) => {
  const functions = form.items.slice(1);
  for (const one of functions) emit.form(one);
  emit.fn.emit(form.at, Op.PCALLS, functions.length);
};

export const journalForms: readonly SpecialForm[] = [
  specialForm(
    "return",
    "(return value)",
    "Ends the mission with a value, from any depth.",
    signal("return", Op.SIGNAL_RETURN),
  ),
  specialForm("fail", "(fail value)", "Ends the mission as failed, from any depth.", signal("fail", Op.SIGNAL_FAIL)),
  specialForm(
    "task",
    '(task "id" form)',
    "Runs the form once in the life of the mission; later calls give the recorded value.",
    task,
  ),
  specialForm(
    "tool-try",
    "(tool-try (tool/name {...}))",
    "Calls a tool. Gives {:ok value}, or {:error {...}} when the tool fails.",
    toolTry,
  ),
  specialForm("step-done", '(step-done "id" "summary")', "Checks off a step of the plan.", stepDone),
  specialForm("task-reset", '(task-reset "id")', "Forgets the record of a task.", taskReset),
  specialForm("undo", '(undo "id")', "Takes back what a task did, and forgets its record.", undo),
  specialForm("pmap", "(pmap f coll)", inCard("forms", 28, "Like map, with all elements in parallel."), pmap),
  specialForm(
    "pcalls",
    "(pcalls f ...)",
    inCard("forms", 29, "The results of functions without arguments, called in parallel."),
    pcalls,
  ),
];
