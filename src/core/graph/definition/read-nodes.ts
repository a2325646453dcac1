import type { z } from "zod";
import { defined } from "../../base/defined";
import { nodeIdProblem, wrongId } from "../../base/input/id-rule";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { cutText, fitted } from "../../base/whole-characters";
import { PeopleTerms, type ReviewTerms } from "../../review/policy/terms";
import { isNodeType, NODE_TYPES, type Node } from "../nodes";
import type { GraphFindings, UncheckedEdge } from "../nodes/findings";
import { DEFAULT_OUTPUTS, Edge } from "../nodes/graph";
import type { NodeKind, UncheckedGraph, UncheckedNode } from "../nodes/node-kind";
import { MAX_NODE_ID_CHARS } from "./schema";

/**
 * Reads nodes and edges one by one. What cannot be read is reported and left out of the result, so that the checks of
 * the graph continue with the rest and all mistakes are named at once.
 */

export interface Shape {
  /** Who decides the reviews of its tasks (approvals reference, section 5). */
  people?: ReviewTerms;
  /** null: there are no nodes to check. */
  unchecked: UncheckedGraph<readonly UncheckedEdge[] | null> | null;
  nodes: { [id: string]: Node };
  edges: Edge[];
}

const KNOWN_TOP = new Set(["id", "name", "description", "people", "nodes", "edges"]);

/** Reads the top level of a definition, and adds its mistakes to the findings. */
export function readShape(raw: JsonObject, findings: GraphFindings): Shape {
  for (const key of Object.keys(raw))
    if (!KNOWN_TOP.has(key)) findings.warn("unknown_property", `The definition has an unknown property "${key}".`);
  for (const key of ["name", "description"])
    if (raw[key] !== undefined && typeof raw[key] !== "string")
      findings.error("invalid_property", `${key} must be a text, got ${show(raw[key])}.`);

  const people = readPeople(raw.people, findings);
  // Without a prototype: a node may be called `__proto__`.
  const nodes: Shape["nodes"] = Object.create(null);
  const edges: Edge[] = [];
  const uncheckedNodes = new Map<string, UncheckedNode>();
  const uncheckedEdges: UncheckedEdge[] = [];

  if (!isObject(raw.nodes))
    findings.error("missing_nodes", `nodes must be an object of node id to node, got ${show(raw.nodes)}.`);
  else
    for (const [id, value] of Object.entries(raw.nodes)) {
      const { node, unchecked } = readNode(id, value, findings);
      if (node) nodes[id] = node;
      uncheckedNodes.set(id, unchecked);
    }
  if (!Array.isArray(raw.edges)) findings.error("missing_edges", `edges must be a list, got ${show(raw.edges)}.`);
  else
    raw.edges.forEach((value, index) => {
      const read = readEdge(index, value, findings);
      if (read.edge) edges.push(read.edge);
      if (read.unchecked) uncheckedEdges.push(read.unchecked);
    });

  const unchecked = isObject(raw.nodes)
    ? { nodes: uncheckedNodes, edges: Array.isArray(raw.edges) ? uncheckedEdges : null }
    : null;
  return { ...defined({ people }), unchecked, nodes, edges };
}

function readPeople(raw: unknown, findings: GraphFindings): ReviewTerms | undefined {
  if (raw === undefined) return undefined;
  const read = PeopleTerms().safeParse(raw);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues)
    findings.error("invalid_property", `people ${[...path, message].join(" ")}.`);
  return undefined;
}

function readNode(id: string, value: unknown, findings: GraphFindings): { node?: Node; unchecked: UncheckedNode } {
  const place = { nodeId: id };
  const length = [...id].length;
  if (length === 0 || length > MAX_NODE_ID_CHARS)
    findings.error(
      "invalid_node_id",
      `A node id has 1 to ${MAX_NODE_ID_CHARS} characters; "${cutText(id, 40)}" has ${length}.`,
      place,
    );
  else {
    const problem = nodeIdProblem(id);
    if (problem !== undefined) findings.error("invalid_node_id", `${wrongId("a node", id, problem)}.`, place);
  }
  const raw = isObject(value) ? value : {};
  const { type } = raw;
  if (!isNodeType(type)) {
    const types = Object.keys(NODE_TYPES).join(", ");
    const got = isObject(value) ? `type ${show(raw.type)}` : show(value);
    findings.error("unknown_node_type", `Node "${id}": type must be one of ${types}; got ${got}.`, place);
    return { unchecked: { type: undefined, kind: undefined, outputs: DEFAULT_OUTPUTS, maxRetries: 0, read: {} } };
  }

  const kind: NodeKind = NODE_TYPES[type];
  const schema = kind.schema();
  for (const key of Object.keys(raw))
    if (!Object.hasOwn(schema.shape, key))
      findings.warn("unknown_property", `Node "${id}": a ${type} node has no property "${key}"; it is kept.`, place);
  const parsed = schema.safeParse(raw);
  // Only properties of this node type are kept: a join's `outputs`, for example, were not checked.
  if (parsed.success) return { node: { ...raw, ...parsed.data } as Node, unchecked: looseOf(kind, type, parsed.data) };

  const wrong = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), messageOf(issue)]));
  for (const [property, message] of wrong) {
    const text = `Node "${id}": ${property} ${message}, got ${show(raw[property])}.`;
    findings.error(kind.codes[property] ?? "invalid_property", text, place);
  }
  const well = Object.fromEntries(
    Object.entries(raw).filter(([key]) => Object.hasOwn(schema.shape, key) && !wrong.has(key)),
  );
  // A list with one wrong item still shows the results that the author listed.
  const outputs = wrong.has("outputs") && Array.isArray(raw.outputs) ? raw.outputs.filter(isText) : [];
  return { unchecked: looseOf(kind, type, outputs.length > 0 ? { ...well, outputs } : well) };
}

/** For the terms of a review it names the one that is wrong. */
const messageOf = ({ path, message }: z.core.$ZodIssue): string =>
  path[0] === "review" ? [...path.slice(1), message].join(" ") : message;

const isText = (value: unknown): value is string => typeof value === "string";

/** `read` has only the properties without a mistake. */
function looseOf(kind: NodeKind, type: string, read: object): UncheckedNode {
  const { maxRetries } = read as { maxRetries?: number };
  return {
    type,
    kind,
    outputs: kind.outputs(read) ?? DEFAULT_OUTPUTS,
    maxRetries: maxRetries ?? 0,
    read,
  };
}

function readEdge(index: number, value: unknown, findings: GraphFindings): { edge?: Edge; unchecked?: UncheckedEdge } {
  const place = { edgeIndex: index };
  const schema = Edge();
  if (!isObject(value)) {
    findings.error("invalid_edge", `edges[${index}] must be an object with from and to, got ${show(value)}.`, place);
    return {};
  }
  for (const key of Object.keys(value))
    if (!Object.hasOwn(schema.shape, key))
      findings.warn("unknown_property", `edges[${index}] has an unknown property "${key}"; it is kept.`, place);
  const parsed = schema.safeParse(value);
  const { from, to, on, on_failure } = value;
  if (parsed.success)
    return { edge: { ...value, ...parsed.data }, unchecked: { index, ...parsed.data, on: parsed.data.on } };
  for (const issue of parsed.error.issues) {
    const property = String(issue.path[0]);
    const code = property === "from" ? "unknown_source" : property === "to" ? "unknown_target" : "invalid_property";
    findings.error(code, `edges[${index}]: ${property} ${issue.message}, got ${show(value[property])}.`, place);
  }
  if (typeof from !== "string" || typeof to !== "string") return {};
  const undoes = on_failure === "undo" ? { on_failure: "undo" as const } : {};
  return { unchecked: { index, from, to, on: typeof on === "string" ? on : undefined, ...undoes } };
}

/** A value in a message: shortened, never a whole document. */
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) ?? typeof value;
  return fitted(text, 60);
}
