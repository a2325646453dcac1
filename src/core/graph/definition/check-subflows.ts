import { shortestPath } from "../../base/ordering";
import type { Findings } from "./findings";
import type { SketchNode } from "./loose-graph";
import type { Definition } from "./schema";

/** Definitions that are loaded already, by id. */
export type Loaded = ReadonlyMap<string, Definition>;

/**
 * Subflows of a definition lead nowhere back to it. Checked over what is loaded: loading order is free, so a missing
 * one is a warning, and only when it is known what is loaded.
 */
export function checkSubflows(
  id: string,
  nodes: ReadonlyMap<string, SketchNode>,
  loaded: Loaded | undefined,
  findings: Findings,
): void {
  const subflows = (workflow: string) => {
    const definition = loaded?.get(workflow);
    return definition ? subflowsOf(definition) : [];
  };
  for (const [nodeId, { workflow }] of nodes) {
    if (workflow === undefined) continue;
    const way = shortestPath(workflow, id, subflows);
    if (way)
      findings.error(
        "subflow_cycle",
        `Subflow "${nodeId}" leads back to its own workflow: ${[id, ...way].join(" -> ")}.`,
        { nodeId },
      );
    else if (loaded && !loaded.has(workflow))
      findings.warn("subflow_not_loaded", `Subflow "${nodeId}" runs workflow "${workflow}", which is not loaded yet.`, {
        nodeId,
      });
  }
}

/** The workflows that a definition runs as subflows, each once. */
export function subflowsOf(definition: Definition): string[] {
  const named = Object.values(definition.nodes).flatMap((node) => (node.type === "subflow" ? [node.workflow] : []));
  return [...new Set(named)];
}
