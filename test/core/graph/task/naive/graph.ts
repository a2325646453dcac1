/**
 * A second evaluator of task graphs, written from the graph reference alone and as plainly as possible: slow,
 * repetitive, and sharing no line with the engine. Where the two differ, one of them has misread the reference.
 */
export interface NaiveGraph {
  nodes: Map<string, NaiveNode>;
  /** In file order. */
  edges: NaiveEdge[];
}

export interface NaiveNode {
  type: string;
  outputs?: string[];
  maxRetries?: number;
  join?: string;
  result?: string;
  escalation?: string;
}

export interface NaiveEdge {
  from: string;
  to: string;
  on?: string;
}

/** A file's content, before any checking. */
export interface NaiveFile {
  nodes: { [id: string]: NaiveNode };
  edges: NaiveEdge[];
}

export const naiveGraph = (file: NaiveFile): NaiveGraph => ({
  nodes: new Map(Object.entries(file.nodes)),
  edges: file.edges,
});

export const typeOf = (graph: NaiveGraph, id: string): string => graph.nodes.get(id)?.type ?? "none";
