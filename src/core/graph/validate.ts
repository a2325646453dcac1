import type { Json, JsonObject } from "../json";
import { reachableFrom, stronglyLooped } from "./reach";
import {
  DEFAULT_OUTPUTS,
  type Definition,
  type Edge,
  END_RESULTS,
  ESCALATIONS,
  MAX_RETRIES_EXCEEDED,
  maxRetriesOf,
  NODE_TYPES,
  type Node,
  nodeOf,
  outputsOf,
} from "./schema";

/** One finding about a definition (navigator reference, section 2). Errors refuse it, warnings do not. */
export interface Finding {
  code: string;
  message: string;
  nodeId?: string;
  edgeIndex?: number;
}

/** Whether the parts are there at all; nothing else can be looked at without them. */
export function validateShape(raw: JsonObject): Finding[] {
  const findings: Finding[] = [];
  if (typeof raw.nodes !== "object" || raw.nodes === null)
    findings.push({ code: "missing_nodes", message: "nodes must be an object: node id -> node" });
  if (!Array.isArray(raw.edges))
    findings.push({ code: "missing_edges", message: "edges must be a list of {from, to, on?}" });
  if (findings.length > 0) return findings;
  const nodes = Array.isArray(raw.nodes)
    ? (raw.nodes as { id: string; node: Json }[]).map((one) => [one.id, one.node] as const)
    : Object.entries(raw.nodes as JsonObject);
  for (const [nodeId, node] of nodes)
    if (typeof node !== "object" || node === null || Array.isArray(node))
      findings.push({ code: "unknown_node_type", nodeId, message: "a node is an object with a type" });
    else findings.push(...nodeFindings(nodeId, node));
  (raw.edges as Json[]).forEach((edge, edgeIndex) => {
    if (
      typeof edge !== "object" ||
      edge === null ||
      Array.isArray(edge) ||
      typeof edge.from !== "string" ||
      typeof edge.to !== "string"
    )
      findings.push({
        code: "unknown_source",
        edgeIndex,
        message: "an edge is {from, to, on?} with node ids as texts",
      });
    else if (edge.on !== undefined && typeof edge.on !== "string")
      findings.push({
        code: "output_not_declared",
        edgeIndex,
        message: "on must be a text: the output that takes this edge",
      });
  });
  return findings;
}

function nodeFindings(nodeId: string, node: JsonObject): Finding[] {
  const findings: Finding[] = [];
  const add = (code: string, message: string) => findings.push({ code, nodeId, message });
  const { type } = node;
  if (nodeId.length === 0 || nodeId.length > 128) add("unknown_node_type", "a node id has 1 to 128 characters");
  if (!(NODE_TYPES as readonly unknown[]).includes(type)) {
    add(
      "unknown_node_type",
      `type ${JSON.stringify(type) ?? "(missing)"} is unknown; there are ${NODE_TYPES.join(", ")}`,
    );
    return findings;
  }
  if ((type === "task" || type === "gate") && (typeof node.name !== "string" || node.name.trim() === ""))
    add("name_required", `a ${type} needs a name`);
  if (type === "end" && !(END_RESULTS as readonly unknown[]).includes(node.result))
    add("invalid_end_result", `result must be one of ${END_RESULTS.join(", ")}`);
  if (type === "end" && node.escalation !== undefined && !(ESCALATIONS as readonly unknown[]).includes(node.escalation))
    add("invalid_escalation", `escalation must be one of ${ESCALATIONS.join(", ")}`);
  if (node.maxRetries !== undefined && !(Number.isInteger(node.maxRetries) && (node.maxRetries as number) >= 0))
    add("invalid_max_retries", "maxRetries must be a whole number, 0 or more");
  if (node.outputs !== undefined && !isOutputs(node.outputs))
    add("invalid_outputs", `outputs must be a list of different non-empty texts without ${MAX_RETRIES_EXCEEDED}`);
  if (type === "subflow" && (typeof node.workflow !== "string" || node.workflow === ""))
    add("workflow_required", "a subflow names its workflow");
  if (
    type === "fork" &&
    node.maxConcurrency !== undefined &&
    !(Number.isInteger(node.maxConcurrency) && (node.maxConcurrency as number) >= 1)
  )
    add("invalid_max_concurrency", "maxConcurrency must be a whole number, 1 or more");
  return findings;
}

function isOutputs(outputs: Json): boolean {
  return (
    Array.isArray(outputs) &&
    outputs.length > 0 &&
    outputs.every((one) => typeof one === "string" && one !== "" && one !== MAX_RETRIES_EXCEEDED) &&
    new Set(outputs).size === outputs.length
  );
}

/** All findings about a definition whose parts have the right shape. */
export function validateDefinition(definition: Definition): { errors: Finding[]; warnings: Finding[] } {
  const errors = [...wholeErrors(definition), ...edgeErrors(definition), ...forkErrors(definition)];
  // Reachability says nothing useful while edges lead nowhere.
  if (
    !errors.some((one) => one.code === "unknown_target" || one.code === "unknown_source" || one.code === "start_count")
  )
    errors.push(...pathErrors(definition));
  return { errors, warnings: warningsOf(definition) };
}

function wholeErrors({ nodes }: Definition): Finding[] {
  const starts = nodes.filter(({ node }) => node.type === "start").length;
  return [
    ...(starts === 1
      ? []
      : [{ code: "start_count", message: `exactly one start node is needed, there are ${starts}` }]),
    ...(nodes.some(({ node }) => node.type === "end") ? [] : [{ code: "no_end", message: "an end node is needed" }]),
  ];
}

function edgeErrors(definition: Definition): Finding[] {
  const seen = new Set<string>();
  return definition.edges.flatMap((edge, edgeIndex) => {
    const findings: Finding[] = [];
    const add = (code: string, message: string) => findings.push({ code, edgeIndex, message });
    const source = nodeOf(definition, edge.from);
    const target = nodeOf(definition, edge.to);
    if (!source) add("unknown_source", `edge ${edgeIndex} leaves "${edge.from}", which is no node`);
    if (!target) add("unknown_target", `edge ${edgeIndex} leads to "${edge.to}", which is no node`);
    if (target?.type === "start")
      add("edge_into_start", `edge ${edgeIndex} from "${edge.from}" leads to the start node`);
    if (
      source &&
      edge.on !== undefined &&
      edge.on !== MAX_RETRIES_EXCEEDED &&
      hasOutputs(source) &&
      !outputsOf(source).includes(edge.on)
    )
      add(
        "output_not_declared",
        `edge ${edgeIndex} is taken on "${edge.on}", but "${edge.from}" has the outputs ${outputsOf(source).join(", ")}`,
      );
    const key = JSON.stringify([edge.from, edge.to, edge.on ?? null]);
    if (seen.has(key)) add("duplicate_edge", `edge ${edgeIndex} from "${edge.from}" to "${edge.to}" is there twice`);
    seen.add(key);
    return findings;
  });
}

const hasOutputs = (node: Node): boolean => node.type === "task" || node.type === "gate";

function forkErrors({ nodes, edges }: Definition): Finding[] {
  const byId = new Map(nodes.map(({ id, node }) => [id, node]));
  return nodes.flatMap(({ id, node }) => {
    if (node.type === "join") {
      const fork = byId.get(node.fork);
      return fork?.type === "fork" && fork.join === id
        ? []
        : [{ code: "fork_join_mismatch", nodeId: id, message: `join "${id}" has no fork that names it` }];
    }
    if (node.type !== "fork") return [];
    const out = edges.filter((edge) => edge.from === id);
    const findings: Finding[] = [];
    const join = byId.get(node.join);
    if (join?.type !== "join" || join.fork !== id)
      findings.push({ code: "fork_join_mismatch", nodeId: id, message: `fork "${id}" has no join that names it` });
    if (out.length === 0)
      findings.push({ code: "fork_without_branches", nodeId: id, message: `fork "${id}" has no outgoing edge` });
    for (const edge of out) {
      if (edge.to === node.join)
        findings.push({
          code: "degenerate_branch",
          nodeId: id,
          message: `an edge of fork "${id}" leads straight to its join`,
        });
      if (byId.get(edge.to)?.type === "fork")
        findings.push({
          code: "nested_fork",
          nodeId: id,
          message: `an edge of fork "${id}" leads straight to another fork`,
        });
    }
    return findings;
  });
}

function pathErrors(definition: Definition): Finding[] {
  const { nodes, edges } = definition;
  const start = (nodes.find(({ node }) => node.type === "start") as { id: string }).id;
  // A task leaves a fork for the target of its join, whatever its branches do.
  const links = [
    ...edges,
    ...nodes.flatMap(({ id, node }) => (node.type === "fork" ? [{ from: id, to: node.join }] : [])),
  ];
  const reached = reachableFrom([start], links);
  const ends = nodes.filter(({ node }) => node.type === "end").map(({ id }) => id);
  const reaching = reachableFrom(
    ends,
    links.map(({ from, to }) => ({ from: to, to: from })),
  );
  return nodes.flatMap(({ id, node }) => {
    if (!reached.has(id))
      return [{ code: "unreachable_node", nodeId: id, message: `no path leads from the start to "${id}"` }];
    if (node.type === "end") return [];
    if (!links.some((edge) => edge.from === id))
      return [{ code: "dead_end", nodeId: id, message: `"${id}" has no way out` }];
    return reaching.has(id)
      ? []
      : [{ code: "no_path_to_end", nodeId: id, message: `no end can be reached from "${id}"` }];
  });
}

// --- warnings --------------------------------------------------------------------------------------------------------

const KNOWN: Record<string, readonly string[]> = {
  start: [],
  end: ["result", "escalation"],
  task: ["instructions", "agent", "emoji", "stage", "outputs", "maxRetries", "config", "context_files"],
  gate: ["instructions", "agent", "emoji", "stage", "outputs", "maxRetries", "config", "context_files"],
  subflow: ["workflow", "inputs"],
  fork: ["join", "maxConcurrency", "branches"],
  join: ["fork", "strategy"],
};

function warningsOf(definition: Definition): Finding[] {
  return [
    ...definition.nodes.flatMap(({ id, node }) => [
      ...unknownProperties(id, node),
      ...nodeWarnings(definition, id, node),
    ]),
    ...stronglyLooped(definition).map((loop) => ({
      code: "unbounded_loop",
      nodeId: loop,
      message: `a cycle through "${loop}" has no step with maxRetries: it may go round for ever`,
    })),
  ];
}

function unknownProperties(nodeId: string, node: Node): Finding[] {
  const known = ["type", "name", "description", "metadata", ...(KNOWN[node.type] ?? [])];
  const unknown = Object.keys(node).filter((property) => !known.includes(property));
  return unknown.map((property) => ({
    code: "unknown_property",
    nodeId,
    message: `property "${property}" is not known; it is kept and handed on`,
  }));
}

function nodeWarnings(definition: Definition, nodeId: string, node: Node): Finding[] {
  if (node.type === "end" || node.type === "fork") return [];
  const out = definition.edges.filter((edge) => edge.from === nodeId);
  const findings: Finding[] = [];
  const add = (code: string, message: string) => findings.push({ code, nodeId, message });
  const on = (output: string) => out.filter((edge) => edge.on === output);
  const unconditional = out.filter((edge) => edge.on === undefined);
  if (hasOutputs(node) && unconditional.length === 0)
    for (const output of outputsOf(node).length > 0 ? outputsOf(node) : DEFAULT_OUTPUTS)
      if (on(output).length === 0 && !(output === "failed" && on(MAX_RETRIES_EXCEEDED).length > 0))
        add("uncovered_output", `no edge is taken on "${output}": that result will not move the task`);
  const isEnd = (edge: Edge) => nodeOf(definition, edge.to)?.type === "end";
  for (const output of new Set(out.map((edge) => edge.on))) {
    const same = out.filter((edge) => edge.on === output);
    const isPair = output === "failed" && same.length === 2 && same.filter(isEnd).length === 1;
    if (same.length > 1 && !isPair)
      add(
        "ambiguous_edge",
        `${same.length} edges are taken ${output === undefined ? "without a result" : `on "${output}"`}: the first one wins`,
      );
  }
  const max = maxRetriesOf(node);
  if (max > 0) {
    const failedEdges = on("failed");
    const leadsOut = on(MAX_RETRIES_EXCEEDED).length > 0 || failedEdges.some(isEnd);
    if (failedEdges.length === 0 && on(MAX_RETRIES_EXCEEDED).length === 0)
      add("unused_max_retries", "maxRetries is set, but no edge is taken on failed");
    else if (!leadsOut)
      add("retry_without_escalation", "retries lead back, and nothing leads out when they are used up");
  }
  return findings;
}
