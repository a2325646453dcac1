import { defined } from "../../base/defined";
import {
  type Definition,
  maxRetriesOf,
  type Node,
  type NodeType,
  nodeKind,
  nodeName,
  nodeOf,
  startOf,
  workOf,
} from "../definition/schema";
import type { ColorName } from "../nodes/node-kind";
import { type BackEdge, executionPlan } from "./levels";

/**
 * A graph as data for a drawing: what each node and each edge is, without places (graph reference, section 9.6). It depends on the definition
 * alone, so that a drawer computes the places once.
 */
export interface GraphDrawing {
  id: string;
  name: string;
  /** From the start on, level by level. */
  nodes: DrawnNode[];
  /** In the order of the definition. */
  edges: DrawnEdge[];
}

/** One node of a drawing. */
export interface DrawnNode {
  id: string;
  name: string;
  type: NodeType;
  color: ColorName | null;
  /** Second line: its agent, how long it waits. */
  caption: string[];
  /** One line about it: its agent, the graph that it runs, or the result that it ends with. */
  about: string;
  stage?: string;
  agent?: string;
  /** How often its work is tried again after a failure. */
  maxRetries: number;
  /** Its longest distance from the start. */
  level: number;
  /** What begins when a task arrives, if that is no work: a question to a person, branches, another graph, a timer. */
  begins: "gateReview" | "escalationReview" | "branches" | "subflow" | "timer" | null;
  /** Of a subflow: the graph that it runs. */
  runs?: string;
}

/** One edge of a drawing. */
export interface DrawnEdge {
  /** Its place in the definition, from 0. */
  number: number;
  from: string;
  to: string;
  /** The result that takes it; absent = any. */
  on?: string;
  /** What people call it. */
  label?: string;
  /** It goes back. */
  back?: BackEdge["kind"];
  /** A failure after it undoes the effects before it. */
  undoes?: true;
}

/** What there is to draw of a definition. */
export function graphDrawing(definition: Definition): GraphDrawing {
  const { levels, backEdges } = executionPlan(definition);
  const level = new Map(levels.flatMap((ids, at) => ids.map((id) => [id, at] as const)));
  const back = (from: string, to: string, on: string | undefined) =>
    backEdges.find((edge) => edge.from === from && edge.to === to && edge.on === on)?.kind;
  const start = startOf(definition);
  const ids = [start, ...levels.flat().filter((id) => id !== start)];
  return {
    id: definition.id,
    name: definition.name,
    nodes: ids.map((id) => drawnNode(definition, id, level.get(id) ?? 0)),
    edges: definition.edges.map(({ from, to, on, label, on_failure }, number) => ({
      number,
      from,
      to,
      ...defined({
        on,
        label,
        back: back(from, to, on),
        undoes: on_failure === undefined ? undefined : (true as const),
      }),
    })),
  };
}

function drawnNode(definition: Definition, id: string, level: number): DrawnNode {
  const node = nodeOf(definition, id) as Node;
  const { drawing, begins } = nodeKind(node);
  const work = workOf(node);
  const isWork = begins === "nothing" || begins === "move";
  return {
    id,
    name: nodeName(definition, id),
    type: node.type,
    color: drawing.color(node),
    caption: drawing.caption(node).filter((part) => part !== ""),
    about: drawing.about(node),
    maxRetries: maxRetriesOf(node),
    level,
    begins: isWork ? null : begins,
    ...defined({
      stage: work?.stage,
      agent: work?.agent,
      runs: node.type === "subflow" ? node.workflow : undefined,
    }),
  };
}
