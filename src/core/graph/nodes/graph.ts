import { z } from "zod";
import { groupedBy } from "../../base/grouped-by";
import { onFirstUse } from "../../base/on-first-use";

/** Nodes and edges as every node type sees them (graph reference, section 1). */

/** The result on an edge that is taken when the retries of a node are used up. */
export const MAX_RETRIES_EXCEEDED = "max_retries_exceeded";
/** The results of a node that names none. */
export const DEFAULT_OUTPUTS: readonly string[] = ["passed", "failed"];

/** A node of any type. */
export interface AnyNode {
  type: string;
  name?: string | undefined;
  description?: string | undefined;
}

/** One edge of a graph: from a node to a node, on a result or on any (graph reference, section 1.2). */
export const Edge = onFirstUse(() => {
  const text = z.string("must be a text");
  return z.object({
    from: text,
    to: text,
    /** The result that takes this edge; absent = unconditional. */
    on: z
      .string("must be a non-empty text")
      .refine((on) => on.trim() !== "", "must be a non-empty text")
      .optional(),
    label: text.optional(),
    /** When the node that it leads to fails: what was done at the node that it comes from is undone. */
    on_failure: z.literal("undo", 'must be "undo" or left out').optional(),
    /** Stored and shown, never evaluated. */
    condition: z.unknown().optional(),
  });
});
export type Edge = z.infer<ReturnType<typeof Edge>>;

/** Nodes by id, and the edges between them. */
export interface Graph<N extends AnyNode = AnyNode> {
  nodes: { [id: string]: N };
  edges: Edge[];
}

/** The node with an id. Never read `nodes[id]`: a node may be called `constructor`. */
export function nodeOf<N extends AnyNode>(graph: Graph<N>, id: string): N | undefined {
  return Object.hasOwn(graph.nodes, id) ? graph.nodes[id] : undefined;
}

const edgesOf = new WeakMap<Graph, ReadonlyMap<string, readonly Edge[]>>();
const NO_EDGES: readonly Edge[] = [];

/** The edges out of a node, in the order of the file: that order decides among equals, everywhere. */
export function edgesFrom(graph: Graph, id: string): readonly Edge[] {
  // Grouped once for each graph: every move needs it, and a graph never changes.
  let byNode = edgesOf.get(graph);
  if (!byNode) {
    byNode = groupedBy(graph.edges, (edge) => edge.from);
    edgesOf.set(graph, byNode);
  }
  return byNode.get(id) ?? NO_EDGES;
}

/** The name of a node for people: its `name`, else its id. */
export function nodeName(graph: Graph, id: string): string {
  return nodeOf(graph, id)?.name || id;
}
