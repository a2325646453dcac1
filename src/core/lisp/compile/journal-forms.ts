import type { Form } from "../read/form";
import { Op } from "./code";
import { argumentsOf, type SpecialForm } from "./special-forms";

/** Control signals, the journal and parallel sections (lisp reference, section 8). */

const signal =
  (name: "return" | "fail", op: number): SpecialForm =>
  (c, form) => {
    const [value] = argumentsOf(form, `(${name} value)`, 1);
    c.form(value as Form);
    c.fn.emit(form.at, op);
  };

const task: SpecialForm = (c, form) => {
  const [id, body] = argumentsOf(form, '(task "id" expression)', 2);
  c.form(id as Form);
  const skip = c.fn.emit(form.at, Op.TASK, 0) + 1;
  c.form(body as Form);
  c.fn.emit(form.at, Op.TASK_DONE);
  c.fn.patch(skip);
};

const stepDone: SpecialForm = (c, form) => {
  for (const arg of argumentsOf(form, '(step-done "id" "summary")', 2)) c.form(arg);
  c.fn.emit(form.at, Op.STEP_DONE);
};

const taskReset: SpecialForm = (c, form) => {
  for (const arg of argumentsOf(form, '(task-reset "id")', 1)) c.form(arg);
  c.fn.emit(form.at, Op.TASK_RESET);
};

const pmap: SpecialForm = (c, form) => {
  for (const arg of argumentsOf(form, "(pmap f coll)", 2)) c.form(arg);
  c.fn.emit(form.at, Op.PMAP);
};

const pcalls: SpecialForm = (c, form) => {
  const functions = form.items.slice(1);
  for (const one of functions) c.form(one);
  c.fn.emit(form.at, Op.PCALLS, functions.length);
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
