import type { GraphFindings } from "./findings";
import type { CheckedNode, Drawing } from "./node-kind";

/** Forks and joins come in pairs: `kind` is the type that the node names, and that must name it. */
export function checkPair({ nodeId, node, graph }: CheckedNode, kind: "fork" | "join", findings: GraphFindings): void {
  const partner = namedBy(node, kind);
  // It could not be read, which is already reported.
  if (partner === undefined || graph.edges === null) return;
  const other = graph.nodes.get(partner);
  const back = other && namedBy(other, kind === "join" ? "fork" : "join");
  if (other?.type === kind && back === nodeId) return;
  const found =
    other === undefined
      ? "which is not a node"
      : other.type !== kind
        ? `which is a ${other.type ?? "node of unknown type"}`
        : `which belongs to ${back === undefined ? "none" : `"${back}"`}`;
  findings.error(
    "fork_join_mismatch",
    `Node "${nodeId}" names "${partner}" as its ${kind}, ${found}: a fork and a join name each other, one to one.`,
    { nodeId },
  );
}

const namedBy = ({ read }: CheckedNode["node"], kind: "fork" | "join"): string | undefined =>
  (read as { fork?: string; join?: string })[kind];

/** A fork and its join look alike. */
export const pairDrawing: Drawing<unknown> = {
  shape: (_node, label) => `(["${label}"])`,
  color: () => "parallel",
  caption: () => [],
  about: () => "",
  sign: "▶",
};
