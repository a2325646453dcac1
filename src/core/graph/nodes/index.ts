import { end } from "./end";
import { fork } from "./fork";
import { gate } from "./gate";
import { join } from "./join";
import type { NodeKind } from "./node-kind";
import { start } from "./start";
import { subflow } from "./subflow";
import { task } from "./task";
import { wait } from "./wait";
import type { WorkNode } from "./work";

/** The types of nodes, in the order in which messages list them. A new type is a file in this folder and a line here. */
export const NODE_TYPES = { start, end, task, gate, subflow, fork, join, wait } satisfies Record<string, NodeKind>;

/** The name of a type of node, as in a node's `type`. */
export type NodeType = keyof typeof NODE_TYPES;
/** One node of a graph, of any type (graph reference, section 1.1). */
export type Node = { [T in NodeType]: (typeof NODE_TYPES)[T] extends NodeKind<infer N> ? N : never }[NodeType];

/** Whether something is the name of a type of node. */
export const isNodeType = (type: unknown): type is NodeType =>
  typeof type === "string" && Object.hasOwn(NODE_TYPES, type);

/** The rules of a node's type. */
export function nodeKind(node: Node): NodeKind<Node> {
  return NODE_TYPES[node.type];
}

/** The node as a work node; undefined for the other types. */
export function workOf(node: Node | undefined): WorkNode | undefined {
  return node && nodeKind(node).work ? (node as WorkNode) : undefined;
}
