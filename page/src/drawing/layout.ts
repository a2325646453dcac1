import type { DrawnEdge, GraphDrawing as DrawnGraph, DrawnNode } from "../../../src/core/graph/show/drawing";

/** Where each node and each edge of a graph stands. Sizes and places in pixels, before zooming. */

export interface Point {
  x: number;
  y: number;
}

export interface PlacedNode {
  node: DrawnNode;
  /** Of its middle. */
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface PlacedEdge {
  edge: DrawnEdge;
  points: Point[];
  /** The middle of its label; absent = it has none. */
  label?: Point;
}

export interface Layout {
  width: number;
  height: number;
  nodes: PlacedNode[];
  edges: PlacedEdge[];
}

export type Direction = "across" | "down";

/** Width of a character of the drawing's text, about. */
const CHARACTER = 7.1;
const MAX_CHARACTERS = 28;

/** A text that fits into a node. */
export const cutLabel = (text: string, most = MAX_CHARACTERS): string =>
  [...text].length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`;

/** The lines of a node: its name, and its facts. */
export function linesOf({ id, name, caption, runs, stage }: DrawnNode): string[] {
  const about = [...caption, ...(runs === undefined ? [] : [`runs ${runs}`])].join(" ");
  const second = about !== "" ? about : (stage ?? (name === id ? "" : id));
  return [cutLabel(name), ...(second === "" ? [] : [cutLabel(second)])];
}

/** What stands on an edge before anything happened. */
export const edgeText = ({ on, label, undoes }: DrawnEdge): string =>
  [cutLabel(label || on || "", 24), ...(undoes ? ["↩"] : [])].join(" ").trim();

function sizeOf(node: DrawnNode): { width: number; height: number } {
  const lines = linesOf(node);
  const longest = Math.max(...lines.map((line) => [...line].length));
  // The mark in front, and the number of visits at the end.
  return { width: Math.max(110, Math.round(longest * CHARACTER) + 64), height: lines.length > 1 ? 52 : 40 };
}

/** An edge that may show how many retries are used needs more space. */
function labelWidth(edge: DrawnEdge, from: DrawnNode | undefined): number {
  const text = edgeText(edge);
  const extra = edge.on === "failed" && (from?.maxRetries ?? 0) > 0 ? 15 : 4;
  return text === "" ? 0 : Math.round(([...text].length + extra) * CHARACTER * 0.92);
}

const kept = new Map<string, Promise<Layout>>();
const MAX_KEPT = 50;

/** The layout of a graph. It depends on the graph alone and is computed once: what moves on it does not move the nodes. */
export function layoutOf(graph: DrawnGraph, direction: Direction): Promise<Layout> {
  const key = JSON.stringify([direction, graph.nodes, graph.edges]);
  const known = kept.get(key);
  if (known !== undefined) return known;
  const computed = computeLayout(graph, direction);
  computed.catch(() => kept.delete(key));
  kept.set(key, computed);
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  return computed;
}

async function computeLayout({ nodes, edges }: DrawnGraph, direction: Direction): Promise<Layout> {
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph({ multigraph: true });
  graph.setGraph({
    rankdir: direction === "across" ? "LR" : "TB",
    nodesep: 26,
    edgesep: 16,
    ranksep: direction === "across" ? 44 : 36,
    marginx: 16,
    marginy: 16,
  });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  // Ids may be any text; names of ours cannot mean anything to the library.
  const names = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  for (const node of nodes) graph.setNode(names.get(node.id) as string, sizeOf(node));
  for (const edge of edges) {
    const width = labelWidth(edge, byId.get(edge.from));
    graph.setEdge(
      names.get(edge.from) as string,
      names.get(edge.to) as string,
      { width, height: width === 0 ? 0 : 18, labelpos: "c", weight: edge.back === undefined ? 2 : 1 },
      `e${edge.number}`,
    );
  }
  layout(graph);
  const whole = graph.graph() as { width?: number; height?: number };
  return {
    width: whole.width ?? 0,
    height: whole.height ?? 0,
    nodes: nodes.map((node) => {
      const { x, y, width, height } = graph.node(names.get(node.id) as string) as unknown as PlacedNode;
      return { node, x, y, width, height };
    }),
    edges: edges.map((edge) => {
      const placed = graph.edge(
        names.get(edge.from) as string,
        names.get(edge.to) as string,
        `e${edge.number}`,
      ) as unknown as { points: Point[]; x?: number; y?: number };
      const hasLabel = edgeText(edge) !== "" && placed.x !== undefined && placed.y !== undefined;
      return {
        edge,
        points: placed.points,
        ...(hasLabel ? { label: { x: placed.x as number, y: placed.y as number } } : {}),
      };
    }),
  };
}

/** A smooth line through points. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  const at = ({ x, y }: Point) => `${round(x)},${round(y)}`;
  const parts = [`M${at(first)}`];
  rest.forEach((point, i) => {
    const next = rest[i + 1];
    if (next === undefined) parts.push(`L${at(point)}`);
    else parts.push(`Q${at(point)} ${at({ x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 })}`);
  });
  return parts.join(" ");
}

/** The head of an arrow at the last point. */
export function arrowOf(points: readonly Point[]): string {
  const tip = points.at(-1);
  const before = points.at(-2);
  if (tip === undefined || before === undefined) return "";
  const angle = Math.atan2(tip.y - before.y, tip.x - before.x);
  const corner = (turn: number) =>
    `${round(tip.x - 9 * Math.cos(angle + turn))},${round(tip.y - 9 * Math.sin(angle + turn))}`;
  return `${round(tip.x)},${round(tip.y)} ${corner(0.42)} ${corner(-0.42)}`;
}

const round = (n: number): number => Math.round(n * 10) / 10;
