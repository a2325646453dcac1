import { type Definition, type GateNode, nodeOf, outputsOf } from "../graph/schema";
import type { Task } from "../graph/task";
import type { Json } from "../json";
import type { Review, ReviewMove } from "./review";

/** The review of a gate that a person decides: its choices are the gate's outputs. */
export function gateReview(definition: Definition, task: Task, number: number, now: number): Review {
  const node = nodeOf(definition, task.currentStep) as GateNode;
  const choices = outputsOf(node);
  return {
    ...about(task, number, now),
    source: "gate",
    title: node.name,
    body: [node.description ?? "", node.instructions ?? ""].filter((part) => part !== "").join("\n\n"),
    choices,
    moves: Object.fromEntries(
      choices.map((choice): [string, ReviewMove] => [choice, { kind: "result", result: choice }]),
    ),
  };
}

/**
 * The review of an end with HITL: go on along the recovery edge where there is one, send the task back to any work step
 * (`send to <step>`), or close it as the end says.
 */
export function escalationReview(definition: Definition, task: Task, number: number, now: number): Review {
  const node = nodeOf(definition, task.currentStep);
  const recovery = definition.edges.some((edge) => edge.from === task.currentStep && edge.on === "passed");
  const steps = definition.nodes
    .filter((one) => one.node.type === "task" || one.node.type === "gate")
    .map((one) => one.id);
  const moves: [string, ReviewMove][] = [
    ...(recovery ? [["passed", { kind: "result", result: "passed" }] as [string, ReviewMove]] : []),
    ...steps.map((step): [string, ReviewMove] => [`send to ${step}`, { kind: "send_to", step }]),
    ["close", { kind: "close" }],
  ];
  return {
    ...about(task, number, now),
    source: "escalation",
    title: `${task.id} needs a person: ${node?.name ?? task.currentStep}`,
    body: [node?.description ?? "", lastFailure(task)].filter((part) => part !== "").join("\n\n"),
    choices: moves.map(([choice]) => choice),
    moves: Object.fromEntries(moves),
  };
}

function about(task: Task, number: number, now: number): Pick<Review, "id" | "data" | "createdAt" | "status"> {
  const last = task.history.at(-1);
  return {
    id: `${task.id}/${task.currentStep}/${number}`,
    data: {
      task: task.id,
      step: task.currentStep,
      context: task.context,
      ...(last?.output === undefined ? {} : { last_output: last.output as Json, last_step: last.step }),
    },
    createdAt: now,
    status: "open",
  };
}

function lastFailure(task: Task): string {
  const last = task.history.at(-1);
  if (!last) return "";
  const output = last.output === undefined ? "" : ` It said: ${JSON.stringify(last.output).slice(0, 500)}`;
  return `"${last.step}" ended with "${last.result ?? "nothing"}" (${last.action}).${output}`;
}
