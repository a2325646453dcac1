import type { z } from "zod";
import type { JsonObject } from "../../base/json";
import type { GraphErrorCode, GraphFindings, UncheckedEdge } from "./findings";
import type { AnyNode, Graph } from "./graph";

/**
 * The rules of one type of node: its schema and checks, what happens when a task arrives, the instructions for people and
 * models, and how it is drawn. Each type has a file, and `index.ts` lists them; all other code asks these
 * rules and knows no types.
 */
export interface NodeKind<N extends AnyNode = AnyNode> {
  /** The node's properties. Messages complete the sentence `Node "x": <property> ...`. */
  schema(): z.ZodObject;
  /** Property -> code of a wrong value; the others have `invalid_property`. */
  codes: { readonly [property: string]: GraphErrorCode };
  /** `start`: every task begins here, and no edge leads in. `end`: it may stop here. */
  place: "start" | "end" | "step";
  /**
   * How its edges are chosen. `result`: by its results, which every edge must fit. `any`: by any result. `person`: by
   * people, after an end. `branches`: all at once.
   */
  edges: "result" | "any" | "person" | "branches";
  /** Somebody works here: it may name an agent, outputs and retries (see `WorkNode`). */
  work: boolean;
  /** Its only possible results; undefined = it declares none, and `passed` and `failed` are expected. */
  outputs(node: Partial<N>): readonly string[] | undefined;
  /** The node whose edges lead on from here: for a fork its join, otherwise the node itself. */
  exit(node: N, id: string): string;
  /** Checks of this type alone. */
  check(node: CheckedNode, findings: GraphFindings): void;
  /** Why a task with this context would come to grief here; undefined = nothing is known against it. `path` as in the node. */
  contextProblem?(node: N, context: JsonObject): { path: string; message: string } | undefined;
  /** What starts when a task arrives here, unless an agent of the task does the work. */
  begins: Begins;
  /** The fields of a task that arrives here. */
  arrival(node: N, at: Arriving): Arrival;
  /** Paragraphs of the instructions between the author's text and the call to make. */
  details(node: N, standing: Standing): string[];
  /** The last line of the instructions: the call to make, or that none is needed. */
  call(node: N, standing: Standing): string;
  /** The instructions' field `terminal`. */
  terminal(node: N): "start" | "join" | Ending["terminal"] | null;
  drawing: Drawing<N>;
}

/** A node of a definition that may have mistakes, as far as it could be read. The checks of a graph look at it. */
export interface UncheckedNode {
  /** undefined: its type could not be read. */
  type: string | undefined;
  kind: NodeKind | undefined;
  outputs: readonly string[];
  maxRetries: number;
  /** The properties that were read without mistakes. A missing one is missing in the file, or already reported. */
  read: object;
}

/** A definition that may have mistakes. `edges` is null when there is no list of them. */
export interface UncheckedGraph<E extends readonly UncheckedEdge[] | null = readonly UncheckedEdge[]> {
  nodes: ReadonlyMap<string, UncheckedNode>;
  edges: E;
}

/** A node to check, with its surroundings. */
export interface CheckedNode {
  nodeId: string;
  node: UncheckedNode;
  graph: UncheckedGraph<readonly UncheckedEdge[] | null>;
  /** Of the definition. */
  id: string;
  /** Loaded definitions by id; undefined = unknown. */
  loaded: ReadonlyMap<string, Graph> | undefined;
}

/** What a task's workflow begins at a node. */
export type Begins =
  /** It waits until somebody does the step and advances the task. */
  | "nothing"
  /** The task leaves automatically and without a result (its `edges` are `any`), unless it is driven from outside. */
  | "move"
  | "gateReview"
  | "escalationReview"
  | "branches"
  | "subflow"
  /** The task waits until its `waitingUntil`, then leaves with `passed`. Without that time a person decides. */
  | "timer";

/** The place where a task arrives. */
export interface Arriving {
  context: JsonObject;
  /** Ms since 1970. */
  atMs: number;
  /** It is a task of a fork or subflow, for which another task waits. */
  isChild: boolean;
}

/** Fields of the task that the arrival sets; all others of an earlier stay are cleared. */
export interface Arrival {
  status: "PENDING" | "IN_PROGRESS" | "HITL" | "COMPLETED" | "FAILED";
  endResult?: EndResult;
  escalation?: Escalation;
  /** Ms since 1970. */
  waitingUntil?: number;
  blockedBy?: "wait_time_unknown";
}

/** How a task may end (graph reference, section 1.1). */
export const END_RESULTS = ["success", "failure", "blocked", "cancelled"] as const;
/** How a task ended: one of `END_RESULTS`. */
export type EndResult = (typeof END_RESULTS)[number];
/** Who is notified of an end: people, an alert, or a ticket (graph reference, section 1.1). */
export const ESCALATIONS = ["hitl", "alert", "ticket"] as const;
/** Who is notified of an end: one of `ESCALATIONS`. */
export type Escalation = (typeof ESCALATIONS)[number];

/** What the end of a task means. */
export interface Ending {
  terminal: "success" | "failure" | "hitl";
  endResult: EndResult;
  escalation?: Escalation;
}

/** The parts of a task that the node's texts depend on. */
export interface Standing {
  graph: Graph;
  task: {
    id: string;
    /** The number of its moves. */
    version: number;
    currentStep: string;
    status: string;
    waitingFor?: string[] | undefined;
    waitingUntil?: number | undefined;
    blockedBy?: string | undefined;
  };
}

export interface Drawing<N> {
  /** Mermaid: the shape around a label, e.g. `["label"]`. */
  shape(node: N, label: string): string;
  color(node: N): ColorName | null;
  /** Parts of the second line of its label. */
  caption(node: N): string[];
  /** One line about the node: its agent, or its effect. */
  about(node: N): string;
  /** For text diagrams: marks the node of an open task. */
  sign: string;
}

/** The classes of nodes that a Mermaid flowchart colours. */
export type ColorName = "start" | "success" | "failure" | "gate" | "parallel" | "wait";
