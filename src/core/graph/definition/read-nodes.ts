import type { z } from "zod";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import type { Findings, GraphErrorCode } from "./findings";
import type { Sketch, SketchEdge, SketchNode } from "./loose-graph";
import { Edge, NODE_SCHEMAS, type Node, type NodeType } from "./node-schemas";
import { DEFAULT_OUTPUTS, MAX_NODE_ID_CHARS } from "./schema";

/**
 * Reads nodes and edges one by one. What cannot be read is reported and left out of the sketch, so that the checks of
 * the graph go on over the rest and all mistakes are named at once.
 */

export interface Shape {
  /** null: there are no nodes to check. */
  sketch: Sketch | null;
  nodes: { [id: string]: Node };
  edges: Edge[];
}

const KNOWN_TOP = new Set(["id", "name", "description", "nodes", "edges"]);

/** Property of a node -> code of a wrong value. */
const CODES: { [property: string]: GraphErrorCode | undefined } = {
  name: "name_required",
  result: "invalid_end_result",
  escalation: "invalid_escalation",
  maxRetries: "invalid_max_retries",
  outputs: "invalid_outputs",
  workflow: "workflow_required",
  join: "fork_join_mismatch",
  fork: "fork_join_mismatch",
  maxConcurrency: "invalid_max_concurrency",
};

export function readShape(raw: JsonObject, findings: Findings): Shape {
  for (const key of Object.keys(raw))
    if (!KNOWN_TOP.has(key)) findings.warn("unknown_property", `The definition has an unknown property "${key}".`);
  for (const key of ["name", "description"])
    if (raw[key] !== undefined && typeof raw[key] !== "string")
      findings.error("invalid_property", `${key} must be a text, got ${show(raw[key])}.`);

  // Without a prototype: a node called `__proto__` is a node like any other.
  const nodes: Shape["nodes"] = Object.create(null);
  const edges: Edge[] = [];
  const sketchNodes = new Map<string, SketchNode>();
  const sketchEdges: SketchEdge[] = [];

  if (!isObject(raw.nodes))
    findings.error("missing_nodes", `nodes must be an object of node id to node, got ${show(raw.nodes)}.`);
  else
    for (const [id, value] of Object.entries(raw.nodes)) {
      const { node, sketch } = readNode(id, value, findings);
      if (node) nodes[id] = node;
      sketchNodes.set(id, sketch);
    }
  if (!Array.isArray(raw.edges)) findings.error("missing_edges", `edges must be a list, got ${show(raw.edges)}.`);
  else
    raw.edges.forEach((value, index) => {
      const read = readEdge(index, value, findings);
      if (read.edge) edges.push(read.edge);
      if (read.sketch) sketchEdges.push(read.sketch);
    });

  const sketch = isObject(raw.nodes)
    ? { nodes: sketchNodes, edges: Array.isArray(raw.edges) ? sketchEdges : null }
    : null;
  return { sketch, nodes, edges };
}

function readNode(id: string, value: unknown, findings: Findings): { node?: Node; sketch: SketchNode } {
  const place = { nodeId: id };
  const length = [...id].length;
  if (length === 0 || length > MAX_NODE_ID_CHARS)
    findings.error(
      "invalid_node_id",
      `A node id has 1 to ${MAX_NODE_ID_CHARS} characters; "${id.slice(0, 40)}" has ${length}.`,
      place,
    );
  const raw = isObject(value) ? value : {};
  const type = typeof raw.type === "string" && Object.hasOwn(NODE_SCHEMAS, raw.type) ? (raw.type as NodeType) : null;
  if (type === null) {
    const types = Object.keys(NODE_SCHEMAS).join(", ");
    const got = isObject(value) ? `type ${show(raw.type)}` : show(value);
    findings.error("unknown_node_type", `Node "${id}": type must be one of ${types}; got ${got}.`, place);
    return { sketch: { type: undefined, outputs: DEFAULT_OUTPUTS, maxRetries: 0 } };
  }

  const schema: z.ZodObject = NODE_SCHEMAS[type];
  for (const key of Object.keys(raw))
    if (!Object.hasOwn(schema.shape, key))
      findings.warn("unknown_property", `Node "${id}": a ${type} node has no property "${key}"; it is kept.`, place);
  const parsed = schema.safeParse(raw);
  // Only what this type of node may have: a join's `outputs`, say, are nobody's, and were not checked.
  if (parsed.success) return { node: { ...raw, ...parsed.data } as Node, sketch: sketchOf(type, parsed.data) };

  const wrong = new Map(parsed.error.issues.map((issue) => [String(issue.path[0]), issue.message]));
  for (const [property, message] of wrong) {
    const code = property === "name" && type !== "task" && type !== "gate" ? undefined : CODES[property];
    const text = `Node "${id}": ${property} ${message}, got ${show(raw[property])}.`;
    findings.error(code ?? "invalid_property", text, place);
  }
  const well = Object.fromEntries(
    Object.entries(raw).filter(([key]) => Object.hasOwn(schema.shape, key) && !wrong.has(key)),
  );
  // A list with one wrong item still says which results the author meant.
  const outputs = wrong.has("outputs") && Array.isArray(raw.outputs) ? raw.outputs.filter(isText) : [];
  return { sketch: sketchOf(type, outputs.length > 0 ? { ...well, outputs } : well) };
}

const isText = (value: unknown): value is string => typeof value === "string";

/** `read` holds only properties that were read well. */
function sketchOf(type: NodeType, read: object): SketchNode {
  const { outputs, maxRetries, join, fork, workflow, branches } = read as Partial<SketchNode>;
  return {
    type,
    outputs: outputs ?? DEFAULT_OUTPUTS,
    maxRetries: maxRetries ?? 0,
    ...(join === undefined ? {} : { join }),
    ...(fork === undefined ? {} : { fork }),
    ...(workflow === undefined ? {} : { workflow }),
    ...(branches === undefined ? {} : { branches }),
  };
}

function readEdge(index: number, value: unknown, findings: Findings): { edge?: Edge; sketch?: SketchEdge } {
  const place = { edgeIndex: index };
  if (!isObject(value)) {
    findings.error("invalid_edge", `edges[${index}] must be an object with from and to, got ${show(value)}.`, place);
    return {};
  }
  for (const key of Object.keys(value))
    if (!Object.hasOwn(Edge.shape, key))
      findings.warn("unknown_property", `edges[${index}] has an unknown property "${key}"; it is kept.`, place);
  const parsed = Edge.safeParse(value);
  const { from, to, on } = value;
  if (parsed.success)
    return { edge: { ...value, ...parsed.data }, sketch: { index, ...parsed.data, on: parsed.data.on } };
  for (const issue of parsed.error.issues) {
    const property = String(issue.path[0]);
    const code = property === "from" ? "unknown_source" : property === "to" ? "unknown_target" : "invalid_property";
    findings.error(code, `edges[${index}]: ${property} ${issue.message}, got ${show(value[property])}.`, place);
  }
  if (typeof from !== "string" || typeof to !== "string") return {};
  return { sketch: { index, from, to, on: typeof on === "string" ? on : undefined } };
}

/** A value as a message shows it: short, never a whole document. */
function show(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
