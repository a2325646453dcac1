import type { Definition } from "../core/graph/definition/schema";

/** Workflows that it runs as subflows. */
export function subflowsOf(definition: Definition): string[] {
  const named = Object.values(definition.nodes).flatMap((node) => (node.type === "subflow" ? [node.workflow] : []));
  return [...new Set(named)];
}

/** The same definitions, each after those that it runs as subflows: loaded in this order none misses another. */
export function subflowsFirst(definitions: readonly Definition[]): Definition[] {
  const byId = new Map(definitions.map((one) => [one.id, one]));
  const ordered = new Set<Definition>();
  const add = (definition: Definition, above: readonly Definition[]) => {
    if (ordered.has(definition) || above.includes(definition)) return;
    for (const id of subflowsOf(definition)) {
      const other = byId.get(id);
      if (other) add(other, [...above, definition]);
    }
    ordered.add(definition);
  };
  for (const definition of definitions) add(definition, []);
  return [...ordered];
}
