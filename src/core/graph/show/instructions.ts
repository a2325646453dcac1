import { contextPath, proseWithFolder } from "../definition/context-path";
import { type Definition, edgesFrom, maxRetriesOf, type Node, nodeName, nodeOf } from "../definition/schema";
import { type Arrival, arrivalAt } from "../task/arrive";
import { retriesUsedAt } from "../task/new-task";
import type { Task } from "../task/task-schema";
import { callToMake } from "./call-to-make";

/** What to do at the step where a task is, for who does the work (graph reference, section 9.2). */
export interface StepInstructions {
  currentStep: string;
  /** Prose; placeholders such as `{repository}` are as the definition has them. */
  instructions: string;
  terminal: "start" | "join" | NonNullable<Arrival["terminal"]> | null;
  metadata: {
    workflowType: string;
    currentStep: string;
    retryCount: number;
    /** What the task was begun with: `userDescription` in its context. */
    userDescription: string | null;
    stepName: string;
  };
}

/**
 * @param folder where the definition was loaded from, if that is known: `./` paths are then told from there.
 * A step that the definition does not have is told as such.
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
    terminal: arrivalAt(definition, currentStep).terminal ?? (node && standing(node)) ?? null,
    metadata: {
      workflowType,
      currentStep,
      retryCount,
      userDescription: typeof userDescription === "string" ? userDescription : null,
      stepName: nodeName(definition, currentStep),
    },
  };
}

const standing = ({ type }: Node): "start" | "join" | undefined =>
  type === "start" || type === "join" ? type : undefined;

function prose(definition: Definition, task: Task, node: Node, folder: string | undefined): string {
  const work = node.type === "task" || node.type === "gate" ? node : undefined;
  const name = nodeName(definition, task.currentStep);
  const told = (text: string | undefined) =>
    text?.trim() ? [folder === undefined ? text.trim() : proseWithFolder(text.trim(), folder)] : [];
  return [
    `# ${work?.stage ? `${work.stage} · ` : ""}${name}`,
    ...files(work?.context_files, folder),
    ...told(node.description),
    ...told(work?.instructions),
    ...more(definition, task.currentStep, node),
    ...facts(task, node),
    callToMake(definition, task, node),
  ].join("\n\n");
}

function files(paths: readonly string[] | undefined, folder: string | undefined): string[] {
  if (!paths || paths.length === 0) return [];
  const lines = paths.map((text) => {
    const read = contextPath(text);
    if (!read.ok) return `- not to be read: ${read.fail.message}`;
    const { root, path } = read.value;
    if (root === "project") return `- ${path}`;
    return folder === undefined ? `- ./${path} (in the workflow's own folder)` : `- ${folder}/${path}`;
  });
  return [`Read first:\n${lines.join("\n")}`];
}

function more(definition: Definition, step: string, node: Node): string[] {
  if (node.type === "fork") return branches(definition, step, node);
  if (node.type !== "subflow") return [];
  const inputs = Object.entries(node.inputs ?? {}).map(([name, from]) => `- ${name}: ${from}`);
  return [[`Runs the workflow ${node.workflow}${inputs.length > 0 ? " with" : "."}`, ...inputs].join("\n")];
}

function branches(definition: Definition, fork: string, node: Node & { type: "fork" }): string[] {
  const described = new Map(Object.values(node.branches ?? {}).map((one) => [one.entryStep, one.description]));
  const lines = edgesFrom(definition, fork).map(({ to }) => {
    const about = described.get(to);
    return `- ${named(definition, to)}${about ? `: ${about}` : ""}`;
  });
  const limit = node.maxConcurrency === undefined ? "" : `, at most ${node.maxConcurrency} at a time`;
  const join = nodeOf(definition, node.join);
  const anyPass = join?.type === "join" && join.strategy === "any-pass";
  return [
    `Branches, side by side${limit}:\n${lines.join("\n")}`,
    `They meet at ${named(definition, node.join)}: ${anyPass ? "at least one" : "every one"} must pass.`,
  ];
}

function named(definition: Definition, id: string): string {
  const name = nodeName(definition, id);
  return name === id ? id : `${id} (${name})`;
}

function facts(task: Task, node: Node): string[] {
  const max = maxRetriesOf(node);
  const used = retriesUsedAt(task, task.currentStep);
  const lines = [
    ...("agent" in node && node.agent ? [`Agent: ${node.agent}`] : []),
    ...(max > 0 ? [`Retries: ${max} at most, ${used} used.`] : []),
  ];
  return lines.length === 0 ? [] : [lines.join("\n")];
}
