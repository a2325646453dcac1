import type { NodeType } from "./schema";

/** A definition as far as it could be read: what the checks of the graph look at. */

/** `type` is undefined when it could not be read. */
export interface SketchNode {
  type: NodeType | undefined;
  outputs: readonly string[];
  maxRetries: number;
  join?: string;
  fork?: string;
  workflow?: string;
  branches?: { [name: string]: { entryStep: string } };
}

export interface SketchEdge {
  index: number;
  from: string;
  to: string;
  on: string | undefined;
}

/** `edges` is null when there is no list of them. */
export interface Sketch {
  nodes: Map<string, SketchNode>;
  edges: SketchEdge[] | null;
}

/** A sketch whose edges all lead from a node to a node. */
export interface Graph {
  nodes: ReadonlyMap<string, SketchNode>;
  edges: readonly SketchEdge[];
}

/** An edge as findings name it. */
export function edgeText({ index, from, to, on }: SketchEdge): string {
  return `edges[${index}] (${from} -> ${to}${on === undefined ? "" : ` on ${on}`})`;
}
