import type { AgentDefinition } from "../../agent/definition/definition";
import { canBeUndone, mayBeTakenBack } from "../../agent/definition/definition";
import { runTools } from "../../agent/tools/run-tools";
import { reachable, successors } from "../../base/ordering";
import { IDENTITY_ADVICE, lacksIdentity } from "../../effects/effect-settings";
import { beginsAt, type Definition, nodeOf, startOf, workOf } from "../definition/schema";
import { branchAt } from "../task/fork";
import { arcsOf } from "./arcs";
import { agentAt, isDriven, type WorstRuns, worstRuns } from "./worst-runs";
import { type SpendWorld, type WorstSpend, worstSpend } from "./worst-spend";

/**
 * Something doubtful about a workflow in its project: an agent or tool that is missing, an effect that nobody approves,
 * a loop without an end.
 */
export interface WorkflowFinding {
  code: "missing_agent" | "missing_tool" | "unreviewed_irreversible" | "endless_loop" | "no_undo" | "no_identity";
  message: string;
  nodeId: string;
}

/** What the project has: its agents, the specs of their tools, and the prices of models. */
export interface WorkflowWorld extends SpendWorld {
  /** Names of the project's tools; null = unknown. */
  tools: readonly string[] | null;
}

/**
 * Checks a workflow against its project, and computes the most that one task can run and cost. Every finding is a
 * warning: a node may also be done by an orchestrator outside of the project.
 */
export function checkWorkflow(
  definition: Definition,
  world: WorkflowWorld,
): { findings: WorkflowFinding[]; worst: WorstRuns & WorstSpend } {
  const runs = worstRuns(definition);
  const worst = { ...runs, ...worstSpend(definition, runs, world) };
  const unasked = unaskedNodes(definition);
  const findings = Object.keys(definition.nodes)
    .filter((nodeId) => isDriven(definition, nodeId))
    .flatMap((nodeId) => nodeFindings(definition, nodeId, world, unasked));
  return { findings: [...findings, ...undoFindings(definition, world), ...loopFindings(worst)], worst };
}

/** Edges with `on_failure: undo` after agents whose tools cannot take anything back. */
function undoFindings(definition: Definition, { agents }: WorkflowWorld): WorkflowFinding[] {
  return definition.edges
    .filter(({ on_failure }) => on_failure === "undo")
    .flatMap(({ from, to }) =>
      workersAt(definition, from).flatMap((nodeId) => {
        const name = agentAt(definition, nodeId);
        const agent = Object.hasOwn(agents, name) ? (agents[name] as AgentDefinition) : undefined;
        const lasting = agent?.tools.filter((tool) => !canBeUndone(tool)) ?? [];
        return lasting.map((tool): WorkflowFinding => {
          const message = `The edge ${from} -> ${to} has on_failure undo, and the tool "${toolName(tool)}" of the agent "${name}" at "${nodeId}" cannot take anything back: what it does remains.`;
          return { code: "no_undo", nodeId, message };
        });
      }),
    );
}

/** The nodes whose agents' work an edge out of this node undoes: after a join, all nodes of the branches. */
function workersAt(definition: Definition, from: string): string[] {
  const node = nodeOf(definition, from);
  const fork = node?.type === "join" ? node.fork : undefined;
  const nodes = fork === undefined ? [from] : Object.keys(definition.nodes);
  return nodes.filter(
    (id) => isDriven(definition, id) && (fork === undefined || branchAt(definition, fork, id) !== null),
  );
}

const toolName = (tool: AgentDefinition["tools"][number]): string => (typeof tool === "string" ? tool : tool.name);

function nodeFindings(
  definition: Definition,
  nodeId: string,
  { agents, tools }: WorkflowWorld,
  unasked: ReadonlySet<string>,
): WorkflowFinding[] {
  const name = agentAt(definition, nodeId);
  const agent = Object.hasOwn(agents, name) ? (agents[name] as AgentDefinition) : undefined;
  if (agent === undefined) {
    const known = Object.keys(agents).join(", ") || "none";
    const message = `Node "${nodeId}" is for the agent "${name}", which the project does not have: only an orchestrator can do it. The project's agents: ${known}.`;
    return [{ code: "missing_agent", nodeId, message }];
  }
  const own = runTools(agent).filter(({ kind }) => kind === "worker");
  const missing = tools === null ? [] : own.filter(({ spec }) => !tools.includes(spec.name));
  const dangerous = unasked.has(nodeId) ? agent.tools.filter((tool) => !mayBeTakenBack(tool)) : [];
  const unnamed = own.filter(({ spec }) => lacksIdentity(spec));
  const undoes = workOf(definition.nodes[nodeId])?.on_failure === "undo";
  const lasting = undoes ? agent.tools.filter((tool) => !canBeUndone(tool)) : [];
  return [
    ...lasting.map((tool): WorkflowFinding => {
      const message = `Node "${nodeId}" has on_failure undo, and the tool "${toolName(tool)}" of its agent "${name}" cannot take anything back: what it does remains.`;
      return { code: "no_undo", nodeId, message };
    }),
    ...missing.map(({ spec }): WorkflowFinding => {
      const message = `Node "${nodeId}": its agent "${name}" uses the tool "${spec.name}", which the project does not have.`;
      return { code: "missing_tool", nodeId, message };
    }),
    ...unnamed.map(({ spec }): WorkflowFinding => {
      const message = `Node "${nodeId}": its agent "${name}" may call ${spec.name}; ${IDENTITY_ADVICE}.`;
      return { code: "no_identity", nodeId, message };
    }),
    ...dangerous.map((tool): WorkflowFinding => {
      const message = `Node "${nodeId}": its agent "${name}" may call ${toolName(tool)}, which cannot be undone, and a path from the start leads there without a gate where a person decides. Add one before it, or set approval: true on the tool.`;
      return { code: "unreviewed_irreversible", nodeId, message };
    }),
  ];
}

/** Nodes that a path from the start reaches without asking a person. */
function unaskedNodes(definition: Definition): ReadonlySet<string> {
  const isPersons = (id: string) => beginsAt(definition, id) === "gateReview" && !isDriven(definition, id);
  const open = arcsOf(definition).filter(({ from }) => !isPersons(from));
  return reachable([startOf(definition)], successors(open));
}

function loopFindings({ endless }: WorstRuns): WorkflowFinding[] {
  const [nodeId] = endless;
  if (nodeId === undefined) return [];
  const message = `Nothing limits the loop through ${endless.join(", ")}: there is no maximum number of agent runs.`;
  return [{ code: "endless_loop", nodeId, message }];
}
