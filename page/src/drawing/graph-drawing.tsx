import { useEffect, useState } from "preact/hooks";
import type { GraphDrawing as DrawnGraph, DrawnNode } from "../../../src/core/graph/show/drawing";
import { ProblemNote } from "../parts/problem";
import { DrawingFrame, isNarrow, LEAST_READABLE } from "./frame";
import { NOWHERE, type NodeStanding, type Standing, standingOf } from "./graph-standing";
import { arrowOf, edgeText, type Layout, layoutOf, linesOf, type PlacedEdge, type PlacedNode, pathOf } from "./layout";

/**
 * A graph, and what happens on it: the way that was taken, where it is now, and how many retries are used. Only what happens is
 * drawn anew: the nodes keep their places.
 */
export function GraphDrawing({
  graph,
  standing = NOWHERE,
  title,
  about,
  counts,
}: {
  graph: DrawnGraph;
  standing?: Standing;
  title: string;
  /** What it shows, as a sentence. */
  about: string;
  /** How many tasks are at a node. */
  counts?: ReadonlyMap<string, number>;
}) {
  const key = JSON.stringify([graph.nodes, graph.edges]);
  const [state, setState] = useState<{ layout?: Layout; error?: unknown }>({});
  // biome-ignore lint/correctness/useExhaustiveDependencies: an equal graph has the same layout
  useEffect(() => {
    let isGone = false;
    bestLayout(graph).then(
      (layout) => !isGone && setState({ layout }),
      (error: unknown) => !isGone && setState({ error }),
    );
    return () => {
      isGone = true;
    };
  }, [key]);
  const { layout, error } = state;
  const current = layout?.nodes.find(({ node }) =>
    ["here", "asks", "broken"].includes(standingOf(standing, node.id).kind),
  );
  return (
    <>
      {error !== undefined && <ProblemNote error={error} />}
      {layout === undefined ? (
        error === undefined && <p class="loading">Drawing {graph.name} …</p>
      ) : (
        <DrawingFrame
          title={title}
          about={about}
          width={layout.width}
          height={layout.height}
          focus={current ?? (standing === NOWHERE ? undefined : layout.nodes[0])}
        >
          {layout.edges.map((edge) => (
            <Edge key={edge.edge.number} placed={edge} standing={standing} />
          ))}
          {layout.nodes.map((node) => (
            <Node
              key={node.node.id}
              placed={node}
              standing={standingOf(standing, node.node.id)}
              count={counts?.get(node.node.id)}
            />
          ))}
        </DrawingFrame>
      )}
      <GraphText graph={graph} standing={standing} counts={counts} />
    </>
  );
}

/** Across where it can then be read as a whole, else downwards. */
async function bestLayout(graph: DrawnGraph): Promise<Layout> {
  if (isNarrow()) return layoutOf(graph, "down");
  const across = await layoutOf(graph, "across");
  return (window.innerWidth - SIDE_COLUMNS) / across.width >= LEAST_READABLE ? across : layoutOf(graph, "down");
}

/** The width of the columns next to a drawing in a wide window, in pixels. */
const SIDE_COLUMNS = 280;

function Node({
  placed: { node, x, y, width, height },
  standing,
  count,
}: {
  placed: PlacedNode;
  standing: NodeStanding;
  count: number | undefined;
}) {
  const [name, about] = linesOf(node);
  const { kind, mark, visits } = standing;
  const retries = retriesText(node, standing);
  const second = [about, retries].filter(Boolean).join(" · ");
  return (
    <g
      class={`node color-${node.color ?? "none"} ${kind}`}
      transform={`translate(${x} ${y})`}
      data-node={node.id}
      data-standing={kind}
    >
      <Shape node={node} width={width} height={height} />
      {mark !== "" && (
        <text class="node-mark" x={-width / 2 + 16} y={5}>
          {mark}
        </text>
      )}
      <text class="node-name" y={second === "" ? 4 : -4}>
        {name}
      </text>
      {second !== "" && (
        <text class="node-about" y={13}>
          {second}
        </text>
      )}
      {visits > 1 && (
        <text class="node-count" x={width / 2 - 17} y={5}>
          ×{visits}
        </text>
      )}
      {count !== undefined && count > 0 && (
        <text class="node-count" y={height / 2 + 13}>
          {tasksText(count)}
        </text>
      )}
    </g>
  );
}

const tasksText = (n: number): string => (n === 1 ? "1 task" : `${n} tasks`);

const retriesText = ({ maxRetries }: DrawnNode, { retriesUsed }: NodeStanding): string =>
  maxRetries === 0 ? "" : retriesUsed === 0 ? `↻${maxRetries}` : `↻${retriesUsed}/${maxRetries}`;

/** Each type of node has its own shape. */
function Shape({ node: { type }, width, height }: { node: DrawnNode; width: number; height: number }) {
  const w = width / 2;
  const h = height / 2;
  const box = { x: -w, y: -h, width, height };
  switch (type) {
    case "start":
      return <rect class="node-shape" {...box} rx={h} />;
    case "end":
      return (
        <>
          <rect class="node-shape" {...box} rx={h} />
          <rect class="node-inner" x={-w + 4} y={-h + 4} width={width - 8} height={height - 8} rx={h - 4} />
        </>
      );
    case "gate":
      return (
        <polygon
          class="node-shape"
          points={`${-w},0 ${-w + 14},${-h} ${w - 14},${-h} ${w},0 ${w - 14},${h} ${-w + 14},${h}`}
        />
      );
    case "fork":
    case "join":
      return <rect class="node-shape" {...box} rx={14} />;
    case "wait":
      return <polygon class="node-shape" points={`${-w + 10},${-h} ${w - 10},${-h} ${w},${h} ${-w},${h}`} />;
    case "subflow":
      return (
        <>
          <rect class="node-shape" {...box} rx={4} />
          <path class="node-inner" d={`M${-w + 7},${-h} V${h} M${w - 7},${-h} V${h}`} />
        </>
      );
    default:
      return <rect class="node-shape" {...box} rx={6} />;
  }
}

function Edge({ placed: { edge, points, label }, standing }: { placed: PlacedEdge; standing: Standing }) {
  const { taken = 0, retries } = standing.edges.get(edge.number) ?? {};
  const text = [edgeText(edge), retries, taken > 1 ? `×${taken}` : ""].filter(Boolean).join(" · ");
  const kind = ["edge", ...(taken > 0 ? ["taken"] : []), ...(retries === undefined ? [] : ["retry"])].join(" ");
  const width = [...text].length * 6.4 + 8;
  return (
    <g class={kind} data-edge={edge.number} data-taken={taken}>
      <path class="edge-line" d={pathOf(points)} />
      <polygon class="edge-head" points={arrowOf(points)} />
      {label !== undefined && (
        <>
          <rect class="edge-back" x={label.x - width / 2} y={label.y - 9} width={width} height={18} />
          <text class="edge-text" x={label.x} y={label.y + 4}>
            {text}
          </text>
        </>
      )}
    </g>
  );
}

/** The same as text, for people who do not see the drawing. */
function GraphText({
  graph: { nodes, edges },
  standing,
  counts,
}: {
  graph: DrawnGraph;
  standing: Standing;
  counts: ReadonlyMap<string, number> | undefined;
}) {
  return (
    <details class="drawing-words">
      <summary>The drawing as text</summary>
      <ul class="drawing-text">
        {nodes.map((node) => {
          const { text, visits, retriesUsed, branches, kind } = standingOf(standing, node.id);
          const facts = [
            ...(standing === NOWHERE ? [] : [text]),
            ...(visits > 1 ? [`came here ${visits} times`] : []),
            ...(node.maxRetries > 0 ? [`${retriesUsed} of ${node.maxRetries} retries used`] : []),
            ...(branches.length > 0 ? [`branches here: ${branches.join(", ")}`] : []),
            ...((counts?.get(node.id) ?? 0) > 0 ? [tasksText(counts?.get(node.id) ?? 0)] : []),
          ];
          const ways = edges
            .filter(({ from }) => from === node.id)
            .map((edge) => {
              const { taken = 0, retries } = standing.edges.get(edge.number) ?? {};
              const what = edgeText(edge) || "any result";
              const notes = [...(taken > 0 ? [`taken ${taken}×`] : []), ...(retries === undefined ? [] : [retries])];
              return `${what} → ${edge.to}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
            });
          return (
            <li key={node.id} aria-current={kind === "here" || kind === "asks" ? "step" : undefined}>
              <strong>{node.id}</strong>
              {node.name === node.id ? "" : ` ${node.name}`} ({node.type}
              {node.about === "" ? "" : `, ${node.about}`}){facts.length === 0 ? "" : `: ${facts.join(", ")}`}.
              {ways.length === 0 ? "" : ` Ways on: ${ways.join("; ")}.`}
            </li>
          );
        })}
      </ul>
    </details>
  );
}
