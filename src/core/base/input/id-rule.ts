/**
 * The one rule for every id that a person or a program gives: runs, tasks, plans, schedules, nodes, and the names that
 * appear next to them. Ids of children are built from them with `/` (ids.ts), so no child can have the id of something
 * else.
 */

import { cutBytes, utf8Bytes } from "../bytes";
import { defined } from "../defined";
import { failed, ok, type Result } from "../failure";
import { isBelow, MAX_WORKFLOW_ID_BYTES } from "../ids";
import { NavigatorError } from "../navigator-error";
import { cutText, shortened } from "../whole-characters";

/** The longest id, in bytes of UTF-8. Ids of children contain their parent's. */
export const MAX_ID_BYTES = 200;

/** Refuses the id of a child whose parents are nested too deeply. */
export function checkChildId(workflowId: string): Result<string> {
  const bytes = utf8Bytes(workflowId);
  if (bytes <= MAX_WORKFLOW_ID_BYTES) return ok(workflowId);
  const start = cutBytes(workflowId, 100);
  return failed("invalid_id", `The id of the child workflow "${start}..." has ${bytes} bytes; the limit is 1000.`);
}

/** The first parts of workflow ids. A task of this name, and its branches, would be taken for something else. */
const KINDS = ["agent", "task", "plan", "definition", "schedule"];

/** The same with a project. What is below such an id would be the id of other work of that project. */
const KIND_OF_PROJECT = /^[a-z0-9][a-z0-9-]*:(?:agent|task|plan|definition|schedule|undo|effect)$/;

/**
 * Characters that are not seen: controls, line breaks, zero-width characters and marks that turn the direction. As
 * numbers, because the Unicode tables may differ between two workers.
 */
const INVISIBLE = "\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff";
const UNSEEN = new RegExp(`[${INVISIBLE}]`);

/**
 * Why a text cannot be a name that people read and type (an issue, an agent, a step of a plan); undefined when it can.
 * It is of 1 to 200 bytes, without invisible characters, and without blanks around it.
 */
export function nameProblem(name: string): string | undefined {
  if (name.trim() === "") return "it is empty";
  const unseen = UNSEEN.exec(name)?.[0];
  if (unseen !== undefined) return `it has the invisible character ${codePoint(unseen)}`;
  if (!name.isWellFormed()) return "it has half of a character";
  if (name.trim() !== name) return "it has blanks around it";
  const bytes = utf8Bytes(name);
  return bytes > MAX_ID_BYTES ? `it is ${bytes} bytes long; the limit is ${MAX_ID_BYTES}` : undefined;
}

/**
 * Why a text cannot be the id of a run, task, plan, schedule or node; undefined when it can. It is a name
 * (`nameProblem`) without `/`, `\\` and `..`, and is no first part of a workflow id.
 */
export function givenIdProblem(id: string): string | undefined {
  const wrong = nameProblem(id);
  if (wrong !== undefined) return wrong;
  const part = /[/\\]|\.\./.exec(id)?.[0];
  if (part !== undefined) return `it has "${part}", and "/" separates the parts of workflow ids`;
  if (id === ".") return "it is a path";
  return KINDS.includes(id) || KIND_OF_PROJECT.test(id) ? `"${id}" is the first part of workflow ids` : undefined;
}

/**
 * Why a text cannot be the id of a node; undefined when it can. Besides `givenIdProblem`: ids of children and keys of effects
 * write a round as `NODE~2` and `NODE@2`.
 */
export function nodeIdProblem(id: string): string | undefined {
  if (KINDS.includes(id)) return undefined;
  const round = /[~@]\d+$/.exec(id)?.[0];
  return givenIdProblem(id) ?? (round === undefined ? undefined : `it ends with "${round}", as the ids of repeats do`);
}

/**
 * Why a text cannot be the id of a task to load. A task with a parent may have an id below it, `PARENT/NODE`: lists of
 * tasks contain the tasks of branches and subflows.
 */
export function taskIdProblem(id: string, parent: string | undefined): string | undefined {
  if (parent === undefined || !isBelow(id, parent)) return givenIdProblem(id);
  const [first = "", ...below] = id.split("/");
  return givenIdProblem(first) ?? below.map(nodePartProblem).find((problem) => problem !== undefined);
}

/**
 * Why a node that begins a separate task (a branch, a subflow) cannot have this id; undefined when it can. An id that
 * ends with a number is that of a run at a step, `task/ID/STEP/ATTEMPT`.
 */
export const branchIdProblem = (id: string): string | undefined =>
  /^\d+$/.test(id) ? "it begins a separate task, and as a number it would be taken for an attempt" : undefined;

/** A part of a child's id: a node, with the round that it is at. */
function nodePartProblem(part: string): string | undefined {
  const node = part.replace(/~\d+$/, "");
  return nodeIdProblem(node) ?? branchIdProblem(node);
}

/** An id like this one that can be used; undefined when nothing is left of it. */
export function idLike(id: string): string | undefined {
  const parts = id.split(new RegExp(`[/\\\\${INVISIBLE}\\ud800-\\udfff]+|\\.\\.+`)).map((part) => part.trim());
  const like = cutBytes(parts.filter((part) => part !== "" && part !== ".").join("-"), MAX_ID_BYTES).trim();
  const free = KINDS.includes(like) ? `${like}-1` : like;
  return free !== "" && givenIdProblem(free) === undefined ? free : undefined;
}

/**
 * What is wrong with an id, in one sentence with an id that would be right.
 *
 * @param what what has the id: `a run`
 */
export function wrongId(what: string, id: string, problem: string): string {
  const shown = JSON.stringify(shortened(id, 60));
  const like = idLike(id);
  return `${shown} cannot be the id of ${what}: ${problem}${like === undefined ? "" : `; try ${JSON.stringify(like)}`}`;
}

/** The id, if it can be used. @param what what has the id: `a run` @throws NavigatorError `invalid_id` */
export function checkedId(what: string, id: unknown): string {
  if (typeof id !== "string") throw new NavigatorError("invalid_id", `The id of ${what} must be a text.`);
  const problem = givenIdProblem(id);
  if (problem === undefined) return id;
  const details = defined({ id: cutText(id, MAX_ID_BYTES), suggestion: idLike(id) });
  throw new NavigatorError("invalid_id", `${wrongId(what, id, problem)}.`, { details });
}

const codePoint = (character: string) =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
