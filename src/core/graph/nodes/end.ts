import { z } from "zod";
import { defined } from "../../base/defined";
import { onFirstUse } from "../../base/on-first-use";
import { type Edge, edgesFrom, type Graph, nodeOf } from "./graph";
import { END_RESULTS, type Ending, ESCALATIONS, type NodeKind, type Standing } from "./node-kind";
import { advanceCall, ended } from "./prose";
import { parts } from "./schema-parts";

/** Where a task ends, or waits for a person (graph reference, section 4.1). */

const schema = onFirstUse(() => {
  const { common, review } = parts();
  return z.object({
    type: z.literal("end"),
    ...common,
    result: z.enum(END_RESULTS, `must be one of ${END_RESULTS.join(", ")}`),
    escalation: z.enum(ESCALATIONS, `must be one of ${ESCALATIONS.join(", ")}`).optional(),
    review,
  });
});
export type EndNode = z.infer<ReturnType<typeof schema>>;

const STATUS = { hitl: "HITL", success: "COMPLETED", failure: "FAILED" } as const;

export const end: NodeKind<EndNode> = {
  schema,
  codes: { result: "invalid_end_result", escalation: "invalid_escalation" },
  place: "end",
  edges: "person",
  work: false,
  outputs: () => undefined,
  exit: (_node, id) => id,
  check: () => {},
  begins: "escalationReview",
  arrival: (node) => {
    const { terminal, ...end } = endingOf(node);
    return { status: STATUS[terminal], ...end };
  },
  details: () => [],
  call,
  terminal: (node) => endingOf(node).terminal,
  drawing: {
    shape: (node, label) => {
      if (node.escalation === "hitl") return `{{"✋ ${label}"}}`;
      return node.result === "success" ? `[["${label}"]]` : `{{"${label}"}}`;
    },
    color: ({ result, escalation }) => (result === "success" && escalation !== "hitl" ? "success" : "failure"),
    caption: () => [],
    about: ({ result, escalation }) => (escalation === undefined ? result : `${result}, ${escalation}`),
    sign: "▶",
  },
};

function endingOf({ result, escalation }: EndNode): Ending {
  const terminal = escalation === "hitl" ? "hitl" : result === "success" ? "success" : "failure";
  return { terminal, endResult: result, ...defined({ escalation }) };
}

/** Whether the node with this id is an end. */
export function isEnd(graph: Graph, id: string): boolean {
  return nodeOf(graph, id)?.type === "end";
}

/** What a task's end at this node means; {} at any other node. */
export function endingAt(graph: Graph, step: string): Partial<Ending> {
  return isEnd(graph, step) ? endingOf(nodeOf(graph, step) as EndNode) : {};
}

/**
 * The edge from an end node back to work: its first edge on `passed` to a step that is not an end. A task in HITL takes
 * it after a person has helped (graph reference, section 9.4), an autonomous one after a success (graph reference,
 * section 9.5).
 */
export function recoveryOf(graph: Graph, end: string): Edge | undefined {
  if (!isEnd(graph, end)) return undefined;
  return edgesFrom(graph, end).find((edge) => edge.on === "passed" && !isEnd(graph, edge.to));
}

function call(node: EndNode, { graph, task }: Standing): string {
  const { terminal, endResult, escalation } = endingOf(node);
  const raise = escalation === "alert" ? " Raise an alert." : escalation === "ticket" ? " File a ticket." : "";
  if (terminal === "success") return `The workflow is complete.${raise} No call is needed.`;
  if (terminal === "failure") return `The workflow failed (${endResult}).${raise} No call is needed.`;
  if (task.status === "COMPLETED" || task.status === "FAILED") return ended(task.status);
  const recovery = recoveryOf(graph, task.currentStep);
  return recovery
    ? `Human needed. When a person has helped, call ${advanceCall(task, '"passed"')}: it continues at ${recovery.to}.`
    : "Human needed. No step leads on from here: a person must send the task to a step or close it.";
}
