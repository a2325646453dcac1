import { valueOrThrow } from "../../core/base/navigator-error";
import { parseDefinition } from "../../core/graph/definition/parse";
import type { Definition, Edge, Node } from "../../core/graph/definition/schema";

/**
 * Makes the definition of a graph (graph reference, sections 1 and 2), the same as a file gives. The compiler checks what
 * stands in code: each edge leads from a node to a node, on a result that its node has; forks and joins name each other.
 *
 *     defineGraph({
 *       id: "release",
 *       nodes: {
 *         start: { type: "start" },
 *         review: { type: "gate", name: "Review", outputs: ["good", "bad"] },
 *         done: { type: "end", result: "success" },
 *         stopped: { type: "end", result: "failure" },
 *       },
 *       edges: [
 *         { from: "start", to: "review" },
 *         { from: "review", to: "done", on: "good" },
 *         { from: "review", to: "stopped", on: "bad" },
 *       ],
 *     });
 *
 * What stands in a file is read by `parseDefinition` of `navigator-agents/graph`.
 *
 * @throws NavigatorError, code `invalid_workflow` or `invalid_id`, with every mistake in `details.issues`
 */
export function defineGraph<const Nodes extends GraphNodes>(definition: GraphSource<Nodes>): Definition {
  return valueOrThrow(parseDefinition(definition)).definition;
}

type DeepReadonly<T> = T extends (...args: never[]) => unknown ? T : { readonly [K in keyof T]: DeepReadonly<T[K]> };

/** Nodes by their ids. */
export interface GraphNodes {
  readonly [id: string]: DeepReadonly<Node>;
}

/** A graph as code writes it. */
export interface GraphSource<Nodes extends GraphNodes>
  extends DeepReadonly<Omit<Partial<Definition>, "id" | "nodes" | "edges">> {
  readonly id: string;
  readonly nodes: Nodes & { readonly [Id in keyof Nodes]: PairOf<Nodes[Id], Nodes> };
  readonly edges: readonly EdgeOf<NoInfer<Nodes>>[];
}

type IdOf<Nodes> = Extract<keyof Nodes, string>;

/** Ids of the nodes of a type. */
type IdsOf<Nodes, Type extends string> = {
  [Id in IdOf<Nodes>]: Nodes[Id] extends { readonly type: Type } ? Id : never;
}[IdOf<Nodes>];

/** A fork names its join, and a join its fork. */
type PairOf<N, Nodes> = N extends { readonly type: "fork" }
  ? { readonly join: IdsOf<Nodes, "join"> }
  : N extends { readonly type: "join" }
    ? { readonly fork: IdsOf<Nodes, "fork"> }
    : unknown;

/** An edge from each node, on its results. */
type EdgeOf<Nodes> = {
  [From in IdOf<Nodes>]: {
    readonly from: From;
    readonly to: IdOf<Nodes>;
    readonly on?: (string extends From ? string : ResultOf<Nodes[From]>) | undefined;
  } & DeepReadonly<Omit<Edge, "from" | "to" | "on">>;
}[IdOf<Nodes>];

/** The results that the edges of a node may be on. */
type ResultOf<N> = N extends { readonly outputs: readonly (infer Output)[] }
  ? Output | "max_retries_exceeded"
  : N extends { readonly type: "wait" | "end" }
    ? "passed"
    : N extends { readonly type: "fork" }
      ? never
      : "passed" | "failed" | "max_retries_exceeded";
