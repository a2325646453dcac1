import type { Json, JsonObject } from "../json";

/**
 * A workflow definition (navigator reference, section 1). Plain interfaces: parse.ts checks what arrives, and the
 * parsed form travels in workflow input.
 */
export const END_RESULTS = ["success", "failure", "blocked", "cancelled"] as const;
export type EndResult = (typeof END_RESULTS)[number];
export const ESCALATIONS = ["hitl", "alert", "ticket"] as const;
export type Escalation = (typeof ESCALATIONS)[number];
export const NODE_TYPES = ["start", "end", "task", "gate", "subflow", "fork", "join"] as const;

interface Common {
  name?: string;
  description?: string;
  metadata?: JsonObject;
  /** Properties that the schema does not know are kept and handed on. */
  [property: string]: Json | undefined;
}

interface Work extends Common {
  name: string;
  instructions?: string;
  /** Free text, handed on as written. */
  agent?: string;
  emoji?: string;
  stage?: string;
  /** Declared outputs; undefined = passed and failed, and any other text goes on to the edges. */
  outputs?: string[];
  maxRetries?: number;
  config?: JsonObject;
  context_files?: string[];
}

export type StartNode = Common & { type: "start" };
export type EndNode = Common & { type: "end"; result: EndResult; escalation?: Escalation };
export type TaskNode = Work & { type: "task" };
export type GateNode = Work & { type: "gate" };
export type SubflowNode = Common & { type: "subflow"; workflow: string; inputs?: { [name: string]: string } };
export type ForkNode = Common & { type: "fork"; join: string; maxConcurrency?: number };
export type JoinNode = Common & { type: "join"; fork: string; strategy?: "all-pass" | "any-pass" };
export type Node = StartNode | EndNode | TaskNode | GateNode | SubflowNode | ForkNode | JoinNode;

export interface Edge {
  from: string;
  to: string;
  /** The output that takes this edge; without it the edge is unconditional. */
  on?: string;
  label?: string;
  condition?: string;
  [property: string]: Json | undefined;
}

export interface Definition {
  id: string;
  name: string;
  description: string;
  /** In order of definition; a list, because a node may be called `constructor` or `__proto__`. */
  nodes: { id: string; node: Node }[];
  edges: Edge[];
}

export const MAX_RETRIES_EXCEEDED = "max_retries_exceeded";
export const DEFAULT_OUTPUTS = ["passed", "failed"];

export function nodeOf(definition: Definition, id: string): Node | undefined {
  return definition.nodes.find((one) => one.id === id)?.node;
}

export function startOf(definition: Definition): string {
  return (definition.nodes.find((one) => one.node.type === "start") as { id: string }).id;
}

export function outputsOf(node: Node): string[] {
  return node.type === "task" || node.type === "gate" ? (node.outputs ?? DEFAULT_OUTPUTS) : DEFAULT_OUTPUTS;
}

export function maxRetriesOf(node: Node): number {
  return node.type === "task" || node.type === "gate" ? (node.maxRetries ?? 0) : 0;
}
