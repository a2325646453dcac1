import { groupedBy } from "./grouped-by";
import type { Edge, Node } from "./node-schemas";

export type { Edge, Node, NodeType } from "./node-schemas";

/**
 * A definition as the engine reads it (graph reference, section 1). The schemas it was checked by stand apart:
 * every running workflow holds its own copy of what it imports, and zod alone is three megabytes.
 */
export const MAX_RETRIES_EXCEEDED = "max_retries_exceeded";
export const DEFAULT_OUTPUTS: readonly string[] = ["passed", "failed"];
export const MAX_NODE_ID_CHARS = 128;
export const WORKFLOW_ID = /^[a-z][a-z0-9-]*$/;

export const END_RESULTS = ["success", "failure", "blocked", "cancelled"] as const;
export const ESCALATIONS = ["hitl", "alert", "ticket"] as const;

/**
 * A checked definition; comes from `parseDefinition` only. It is plain JSON and travels in workflow input, so a node
 * is read with `nodeOf`, never with `nodes[id]`: a node may be called `constructor`, and after a journey through
 * JSON the object has a prototype again. Properties unknown to the schema are still there.
 */
export interface Definition {
  id: string;
  name: string;
  description: string;
  nodes: { [id: string]: Node };
  edges: Edge[];
}

export function nodeOf(definition: Definition, id: string): Node | undefined {
  return Object.hasOwn(definition.nodes, id) ? definition.nodes[id] : undefined;
}

const edgesOf = new WeakMap<Definition, ReadonlyMap<string, readonly Edge[]>>();
const NO_EDGES: readonly Edge[] = [];

/** Edges out of a node, in file order: that order decides among equals, everywhere. */
export function edgesFrom(definition: Definition, id: string): readonly Edge[] {
  // Grouped once for each definition: it is asked at every move, and a definition is never changed.
  let byNode = edgesOf.get(definition);
  if (!byNode) {
    byNode = groupedBy(definition.edges, (edge) => edge.from);
    edgesOf.set(definition, byNode);
  }
  return byNode.get(id) ?? NO_EDGES;
}

/** The id of the start node; a checked definition has exactly one. */
export function startOf(definition: Definition): string {
  return Object.keys(definition.nodes).find((id) => nodeOf(definition, id)?.type === "start") ?? "start";
}

export function isEnd(definition: Definition, id: string): boolean {
  return nodeOf(definition, id)?.type === "end";
}

/** The results a step may have: as declared, else passed and failed. */
export function outputsOf(node: Node): readonly string[] {
  return ((node.type === "task" || node.type === "gate") && node.outputs) || DEFAULT_OUTPUTS;
}

export function maxRetriesOf(node: Node): number {
  return node.type === "task" || node.type === "gate" ? (node.maxRetries ?? 0) : 0;
}

/** What people call the node: its name, else its id. */
export function nodeName(definition: Definition, id: string): string {
  return nodeOf(definition, id)?.name || id;
}
