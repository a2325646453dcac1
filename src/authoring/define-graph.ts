import { valueOrThrow } from "../core/base/navigator-error";
import { parseDefinition } from "../core/graph/definition/parse";
import type { Definition } from "../core/graph/definition/schema";

/**
 * Reads and checks the definition of a graph: `{id, nodes, edges, ...}` (graph reference, sections 1 and 2).
 *
 * @throws NavigatorError, code `invalid_workflow` or `invalid_id`, with every mistake in `details.issues`
 */
export function defineGraph(definition: object): Definition {
  return valueOrThrow(parseDefinition(definition)).definition;
}
