import { failed, ok, type Result } from "../failure";
import type { Json, JsonObject } from "../json";
import type { Definition, Edge, Node } from "./schema";
import { type Finding, validateDefinition, validateShape } from "./validate";

/** A definition as it arrives: JSON with nodes by id. */
export interface ParsedDefinition {
  definition: Definition;
  warnings: Finding[];
}

const ID = /^[a-z][a-z0-9-]*$/;

/**
 * Reads a definition. A bad one is refused with reason `invalid_workflow` and every finding in `details.issues`
 * (navigator reference, section 2); `invalid_id` and `id_mismatch` where only the id is at fault.
 *
 * @param idArgument the id under which it is loaded, when the caller gives one
 */
export function parseDefinition(raw: unknown, idArgument?: string): Result<ParsedDefinition> {
  if (!isObject(raw))
    return refuse([{ code: "missing_nodes", message: "a definition is an object with nodes and edges" }]);
  const inner = typeof raw.id === "string" ? raw.id : undefined;
  const id = idArgument ?? inner ?? "";
  if (idArgument !== undefined && inner !== undefined && inner !== idArgument)
    return failed("id_mismatch", `The definition says its id is "${inner}", it is loaded as "${idArgument}".`);
  if (id !== "" && !ID.test(id))
    return failed(
      "invalid_id",
      `"${id}" is no workflow id: lower-case letters, digits and hyphens, starting with a letter.`,
    );
  const shape = validateShape(raw);
  if (shape.length > 0) return refuse(shape);
  const definition: Definition = {
    id,
    name: typeof raw.name === "string" && raw.name !== "" ? raw.name : id,
    description: typeof raw.description === "string" ? raw.description : "",
    nodes: nodeList(raw.nodes as Json),
    edges: raw.edges as unknown as Edge[],
  };
  const { errors, warnings } = validateDefinition(definition);
  return errors.length > 0 ? refuse(errors) : ok({ definition, warnings });
}

/** Nodes arrive by id; a definition that has travelled already is a list. */
function nodeList(nodes: Json): Definition["nodes"] {
  if (Array.isArray(nodes)) return nodes as unknown as Definition["nodes"];
  return Object.entries(nodes as JsonObject).map(([id, node]) => ({ id, node: node as unknown as Node }));
}

function refuse(issues: Finding[]): Result<never> {
  const list = issues.map(
    (issue) => `${issue.code}${issue.nodeId === undefined ? "" : ` (${issue.nodeId})`}: ${issue.message}`,
  );
  return failed("invalid_workflow", `${issues.length} error(s) in the definition: ${list.join("; ")}`, {
    issues: issues as unknown as Json,
  });
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);
