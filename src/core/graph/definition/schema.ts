import type { ReviewTerms } from "../../review/policy/terms";
import { type Node, nodeKind, workOf } from "../nodes";
import { DEFAULT_OUTPUTS, type Graph, nodeOf } from "../nodes/graph";
import type { Begins } from "../nodes/node-kind";

export type { Node, NodeType } from "../nodes";
export { nodeKind, workOf } from "../nodes";
export { isEnd } from "../nodes/end";
export {
  DEFAULT_OUTPUTS,
  type Edge,
  edgesFrom,
  MAX_RETRIES_EXCEEDED,
  nodeName,
  nodeOf,
} from "../nodes/graph";
export { END_RESULTS, ESCALATIONS } from "../nodes/node-kind";

/** The longest id of a node, in characters. */
export const MAX_NODE_ID_CHARS = 128;
/** The longest id of a definition, in characters. */
export const MAX_WORKFLOW_ID_CHARS = 128;
/** The form of a definition's id. */
export const WORKFLOW_ID = /^[a-z][a-z0-9-]*$/;

/**
 * A checked definition (graph reference, section 1); only `parseDefinition` makes one. It is plain JSON and is passed
 * in workflow input. Read a node with `nodeOf`, never with `nodes[id]`: a node may be called `constructor`, and after a
 * round trip through JSON the object has a prototype again. Properties unknown to the schema are kept.
 */
export interface Definition extends Graph<Node> {
  id: string;
  name: string;
  description: string;
  /** Who decides the reviews of its tasks, and by when; the terms of a node come first. */
  people?: ReviewTerms;
}

/** The id of the start node; a checked definition has exactly one. */
export function startOf(definition: Definition): string {
  const isStart = (id: string) => nodeKind(nodeOf(definition, id) as Node).place === "start";
  return Object.keys(definition.nodes).find(isStart) ?? "start";
}

/** What the workflow begins when a task comes to a node, unless an agent does the work there. */
export function beginsAt(definition: Definition, id: string): Begins {
  const node = nodeOf(definition, id);
  return node ? nodeKind(node).begins : "nothing";
}

/** The results that a step may have: those that it declares, else `passed` and `failed`. */
export function outputsOf(node: Node): readonly string[] {
  return nodeKind(node).outputs(node) ?? DEFAULT_OUTPUTS;
}

/** How often a failed node is tried again; 0 for nodes without work. */
export function maxRetriesOf(node: Node): number {
  return workOf(node)?.maxRetries ?? 0;
}
