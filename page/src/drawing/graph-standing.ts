import type { DrawnTask } from "../../../src/client/tasks/drawn-task";
import type { DrawnEdge, GraphDrawing as DrawnGraph, DrawnNode } from "../../../src/core/graph/show/drawing";

/** How the nodes and edges of a graph stand for a task and its branches, for the drawing and for its text. */

export interface NodeStanding {
  /** `here`: work is done; `asks`: a person is asked; `broken`: it ended badly here; `was`: it was here; `idle`: not yet. */
  kind: "here" | "asks" | "broken" | "was" | "idle";
  /** ✓ ▶ ? ◷ ✗ ◉, so that no fact depends on colour alone. */
  mark: string;
  visits: number;
  retriesUsed: number;
  retriesLeft: number;
  /** Branches that are here. */
  branches: string[];
  /** What it is, in words. */
  text: string;
}

export interface EdgeStanding {
  taken: number;
  /** `retry 1 of 3`; absent = it is no way back after a failure, or none was needed. */
  retries?: string;
}

export interface Standing {
  nodes: ReadonlyMap<string, NodeStanding>;
  edges: ReadonlyMap<number, EdgeStanding>;
}

const IDLE: NodeStanding = {
  kind: "idle",
  mark: "",
  visits: 0,
  retriesUsed: 0,
  retriesLeft: 0,
  branches: [],
  text: "not reached",
};

export const standingOf = ({ nodes }: Standing, id: string): NodeStanding => nodes.get(id) ?? IDLE;

/** The standing of a graph without a task. */
export const NOWHERE: Standing = { nodes: new Map(), edges: new Map() };

export function standingOfTask({ graph, way, children, reviews, stopped }: DrawnTask): Standing {
  const branches = children.filter(({ kind }) => kind === "branch");
  const ways = [way, ...branches.map((branch) => branch.way)];
  const asked = new Set(reviews.flatMap(({ step }) => step ?? []));
  const nodes = new Map(graph.nodes.map((node): [string, NodeStanding] => [node.id, nodeStanding(node)]));
  const edges = new Map<number, EdgeStanding>();
  for (const { edges: taken } of ways)
    for (const { number, taken: n } of taken) edges.set(number, { taken: (edges.get(number)?.taken ?? 0) + n });
  // A branch begins over the edge of its fork, which is no move.
  for (const { node, branch } of branches) {
    const edge = graph.edges.find(({ from, to }) => from === node && to === branch);
    if (edge !== undefined) edges.set(edge.number, { taken: Math.max(1, edges.get(edge.number)?.taken ?? 0) });
  }
  for (const edge of graph.edges) {
    const retries = retryText(graph, edge, nodes);
    if (retries !== undefined) edges.set(edge.number, { taken: edges.get(edge.number)?.taken ?? 0, retries });
  }
  return { nodes, edges };

  function nodeStanding({ id, type, maxRetries }: DrawnNode): NodeStanding {
    const visitedBy = ways.flatMap((one) => one.nodes.filter((visited) => visited.id === id));
    const visits = visitedBy.reduce((sum, one) => sum + one.visits, 0);
    const retriesUsed = visitedBy.reduce((most, one) => Math.max(most, one.retriesUsed), 0);
    const present = ways.filter(({ currentStep }) => currentStep === id);
    const isMain = way.currentStep === id;
    const open = present.filter(({ status }) => status !== "COMPLETED" && status !== "FAILED");
    const counts = {
      visits,
      retriesUsed,
      retriesLeft: Math.max(0, maxRetries - retriesUsed),
      branches: open.flatMap((one) => (one === way ? [] : [one.branch ?? one.taskId])),
    };
    const as = (kind: NodeStanding["kind"], mark: string, text: string): NodeStanding => ({
      ...counts,
      kind,
      mark,
      text,
    });
    if (isMain && stopped !== undefined) return as("broken", "✗", `the task was ${stopped} here`);
    if (isMain && way.status === "FAILED") return as("broken", "✗", "the task failed here");
    if (isMain && way.status === "COMPLETED") return as("was", "◉", "the task is complete here");
    if (open.length > 0 && (asked.has(id) || open.some(({ status }) => status === "HITL")))
      return as("asks", "?", "waits for a person");
    if (isMain && way.status === "PAUSED") return as("here", "‖", "paused here");
    if (open.some(({ waitingUntil }) => waitingUntil !== undefined)) return as("here", "◷", "waits for its time");
    if (open.length > 0) return as("here", "▶", isMain ? "the task is here" : "a branch is here");
    const isUnvisited = type === "join" && !way.nodes.some((visited) => visited.id === id);
    if (isUnvisited && present.length > 0) return as("was", "◷", `${present.length} branches wait here for the others`);
    if (present.some(({ status }) => status === "FAILED")) return as("broken", "✗", "a branch failed here");
    return visits > 0 ? as("was", "✓", "done") : IDLE;
  }
}

/** Of an edge that is taken back after a failure: how many of the retries are used. */
function retryText(
  { nodes: drawn }: DrawnGraph,
  { from, on, back, to }: DrawnEdge,
  nodes: ReadonlyMap<string, NodeStanding>,
): string | undefined {
  const max = drawn.find(({ id }) => id === from)?.maxRetries ?? 0;
  if (on !== "failed" || max === 0 || (back === undefined && from !== to)) return undefined;
  const used = nodes.get(from)?.retriesUsed ?? 0;
  return used === 0 ? undefined : `retry ${used} of ${max}`;
}
