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
  for (const [nodeId, { workflow }] of nodes) {
    if (workflow === undefined) continue;
    const way = wayBack(workflow, id, loaded);
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

/** A chain of workflows from `from` to `target`, both included; null if there is none. */
function wayBack(from: string, target: string, loaded: Loaded | undefined): string[] | null {
  const cameFrom = new Map<string, string | null>([[from, null]]);
  for (const workflow of cameFrom.keys()) {
    if (workflow === target) return chain(workflow, cameFrom);
    for (const node of Object.values(loaded?.get(workflow)?.nodes ?? {}))
      if (node.type === "subflow" && !cameFrom.has(node.workflow)) cameFrom.set(node.workflow, workflow);
  }
  return null;
}

function chain(last: string, cameFrom: ReadonlyMap<string, string | null>): string[] {
  const way: string[] = [];
  for (let at: string | null = last; at !== null; at = cameFrom.get(at) ?? null) way.unshift(at);
  return way;
}
