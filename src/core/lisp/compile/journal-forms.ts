import type { Form } from "../read/form";
import { Op } from "./code";
import type { SpecialForm } from "./emit";
import { argumentsOf } from "./form-arguments";

/** Control signals, the journal and parallel sections (lisp reference, section 8). */

const signal =
  (name: "return" | "fail", op: number): SpecialForm =>
  (emit, form) => {
    const [value] = argumentsOf(form, `(${name} value)`, 1);
    emit.form(value as Form);
    emit.fn.emit(form.at, op);
  };

const task: SpecialForm = (emit, form) => {
  const [id, body] = argumentsOf(form, '(task "id" expression)', 2);
  emit.form(id as Form);
  const skip = emit.fn.emit(form.at, Op.TASK, 0) + 1;
  emit.form(body as Form);
  emit.fn.emit(form.at, Op.TASK_DONE);
  emit.fn.patch(skip);
};

const stepDone: SpecialForm = (emit, form) => {
  for (const arg of argumentsOf(form, '(step-done "id" "summary")', 2)) emit.form(arg);
  emit.fn.emit(form.at, Op.STEP_DONE);
};

const taskReset: SpecialForm = (emit, form) => {
  for (const arg of argumentsOf(form, '(task-reset "id")', 1)) emit.form(arg);
  emit.fn.emit(form.at, Op.TASK_RESET);
};

const pmap: SpecialForm = (emit, form) => {
  for (const arg of argumentsOf(form, "(pmap f coll)", 2)) emit.form(arg);
  emit.fn.emit(form.at, Op.PMAP);
};

const pcalls: SpecialForm = (emit, form) => {
  const functions = form.items.slice(1);
  for (const one of functions) emit.form(one);
  emit.fn.emit(form.at, Op.PCALLS, functions.length);
};

export const journalForms: [string, SpecialForm][] = [
  ["return", signal("return", Op.SIGNAL_RETURN)],
  ["fail", signal("fail", Op.SIGNAL_FAIL)],
  ["task", task],
  ["step-done", stepDone],
  ["task-reset", taskReset],
  ["pmap", pmap],
  ["pcalls", pcalls],
];
