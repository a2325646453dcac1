import type { Json, JsonObject } from "../../base/json";
import { contextPath, proseWithFolder } from "../definition/context-path";
import { type Definition, maxRetriesOf, type Node, nodeKind, nodeName, nodeOf, workOf } from "../definition/schema";
import type { NodeKind } from "../nodes/node-kind";
import { onlyPeopleAt } from "../task/machine/agent-moves";
import { retriesUsedAt } from "../task/new-task";
import { versionOf } from "../task/repeat";
import type { Task } from "../task/task-schema";
import { movesSoFar } from "./moves-so-far";
import { shownValues } from "./shown-values";

/** What to do at the present step of a task, for the one that does the work (graph reference, section 9.2). */
export interface StepInstructions {
  currentStep: string;
  /** Text; placeholders such as `{repository}` stay as in the definition. */
  instructions: string;
  terminal: ReturnType<NodeKind["terminal"]>;
  /** The number of moves so far: `next` and `advance_task` take it, so that a repeated call moves once. */
  version: number;
  /** What was asked: the task's title and description, and the rest of its context. Values over 2,000 characters are cut. */
  request: JsonObject;
  /**
   * The last output of each step that gave one, the newest last, cut like the request. A decision has who decided, and the note.
   * One of an earlier visit than the last is `{from_earlier_visit: true, result, last_result, output}`.
   */
  outputs: JsonObject;
  /** The last moves, oldest first: when, from where to where, the result, and who moved it where that is known. */
  done: string[];
  metadata: {
    workflowType: string;
    currentStep: string;
    retryCount: number;
    /** The user's request: `userDescription` in its context. */
    userDescription: string | null;
    stepName: string;
  };
}

/**
 * The instructions for the present step of a task (graph reference, section 9.2). They also report when the definition
 * does not have that step.
 *
 * @param folder where the definition was loaded from, if known: `./` paths then start there
 */
export function stepInstructions(definition: Definition, task: Task, folder?: string): StepInstructions {
  const { currentStep, workflowType, retryCount, context } = task;
  const node = nodeOf(definition, currentStep);
  const { userDescription } = context;
  return {
    currentStep,
    instructions: node
      ? prose(definition, task, node, folder)
      : `Workflow "${definition.id}" has no step "${currentStep}": ask for a person.`,
    terminal: node ? nodeKind(node).terminal(node) : null,
    version: versionOf(task),
    request: { id: task.id, issueId: task.issueId, ...shownValues(context, "first") },
    outputs: shownOutputs(task),
    done: movesSoFar(task),
    metadata: {
      workflowType,
      currentStep,
      retryCount,
      userDescription: typeof userDescription === "string" ? userDescription : null,
      stepName: nodeName(definition, currentStep),
    },
  };
}

/**
 * The last output of each step that gave one, the newest last. If the step was left again later, and then without an output,
 * its output is replaced by a note: what a review objected to must not stand for a later one that passed.
 */
export function shownOutputs({ history }: Pick<Task, "history">): JsonObject {
  const given = new Map<string, { output: Json; result: string | null; last_result?: string | null }>();
  for (const { step, output, result } of history) {
    const before = given.get(step);
    if (output === undefined) {
      if (before !== undefined) given.set(step, { ...before, last_result: result });
      continue;
    }
    given.delete(step);
    given.set(step, { output, result });
  }
  const shown = [...given].map(([step, { output, result, last_result }]): [string, Json] => [
    step,
    last_result === undefined ? output : { from_earlier_visit: true, result, last_result, output },
  ]);
  return shownValues(Object.fromEntries(shown), "last");
}

function prose(definition: Definition, task: Task, node: Node, folder: string | undefined): string {
  const kind = nodeKind(node);
  const work = workOf(node);
  const standing = { graph: definition, task: { ...task, version: versionOf(task) } };
  const name = nodeName(definition, task.currentStep);
  const shown = (text: string | undefined) =>
    text?.trim() ? [folder === undefined ? text.trim() : proseWithFolder(text.trim(), folder)] : [];
  return [
    `# ${work?.stage ? `${work.stage} · ` : ""}${name}`,
    ...files(work?.context_files, folder),
    ...shown(node.description),
    ...shown(work?.instructions),
    ...kind.details(node, standing),
    ...facts(task, node),
    peopleText(definition, task) ?? kind.call(node, standing),
  ].join("\n\n");
}

/** Where only people decide, no call of an agent moves the task. */
function peopleText(definition: Definition, task: Task): string | undefined {
  const people = onlyPeopleAt(definition, task);
  if (people === null) return undefined;
  const { names, verb } = people;
  return `${names} ${verb} here, and no agent: no call moves the task. Show the user the question and the command in \`waitingFor\`.`;
}

function files(paths: readonly string[] | undefined, folder: string | undefined): string[] {
  if (!paths || paths.length === 0) return [];
  const lines = paths.map((text) => {
    const read = contextPath(text);
    if (!read.ok) return `- cannot be read: ${read.fail.message}`;
    const { root, path } = read.value;
    if (root === "project") return `- ${path}`;
    return folder === undefined ? `- ./${path} (in the workflow's own folder)` : `- ${folder}/${path}`;
  });
  return [`Read first:\n${lines.join("\n")}`];
}

function facts(task: Task, node: Node): string[] {
  const agent = workOf(node)?.agent;
  const max = maxRetriesOf(node);
  const used = retriesUsedAt(task, task.currentStep);
  const lines = [...(agent ? [`Agent: ${agent}`] : []), ...(max > 0 ? [`Retries: ${max} at most, ${used} used.`] : [])];
  return lines.length === 0 ? [] : [lines.join("\n")];
}
