import { topologicalOrder } from "../core/base/ordering";
import type { Definition } from "../core/graph/definition/schema";
import { subflowsOf } from "../core/graph/nodes/subflow";

/** The same definitions, each after those that it runs as subflows: loaded in this order none misses another. */
export function subflowsFirst(definitions: readonly Definition[]): Definition[] {
  const byId = new Map(definitions.map((one) => [one.id, one]));
  return topologicalOrder(definitions, (definition) => subflowsOf(definition).flatMap((id) => byId.get(id) ?? []));
}
