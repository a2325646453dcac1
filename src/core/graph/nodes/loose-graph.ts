import type { NodeKind } from "./node-kind";

/** A definition as far as it could be read: what the checks of a graph look at. */

export interface LooseNode {
  /** undefined: its type could not be read. */
  type: string | undefined;
  kind: NodeKind | undefined;
  outputs: readonly string[];
  maxRetries: number;
  /** The properties that were read well. One that is missing here is missing in the file, or reported already. */
  read: object;
}

export interface LooseEdge {
  index: number;
  from: string;
  to: string;
  on: string | undefined;
}

/** Edges that lead from a node to a node; null when there is no list of them. */
export interface LooseGraph<E extends readonly LooseEdge[] | null = readonly LooseEdge[]> {
  nodes: ReadonlyMap<string, LooseNode>;
  edges: E;
}

/** An edge as findings name it. */
export function edgeText({ index, from, to, on }: LooseEdge): string {
  return `edges[${index}] (${from} -> ${to}${on === undefined ? "" : ` on ${on}`})`;
}
