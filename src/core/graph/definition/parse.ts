import type { PlainCode } from "../../base/error-codes";
import { ok, type Result } from "../../base/failure";
import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { TOO_DEEP, tooDeepAt } from "../../base/json/json-problem";
import { cutText } from "../../base/whole-characters";
import { type Finding, GraphFindings } from "../nodes/findings";
import { readShape } from "./read-nodes";
import { type Definition, MAX_WORKFLOW_ID_CHARS, WORKFLOW_ID } from "./schema";
import { type Loaded, validateGraph } from "./validate";

/** A definition that passed all checks, and what is doubtful about it. */
export interface ParsedDefinition {
  definition: Definition;
  warnings: Finding[];
}

const MAX_NAMED = 10;

/**
 * Reads and checks a definition (graph reference, sections 1 and 2).
 *
 * @param idArgument the id it is loaded under; without it the definition must have one.
 * @param loaded definitions that are loaded already; with it subflows are followed and missing ones reported.
 * @param isStored tasks run on it: only the rules count that it was read with.
 *
 * Fails with `invalid_workflow`, or with `invalid_id` or `id_mismatch` when the id is wrong; `details.issues` has
 * all errors, `details.warnings` all warnings. The input is not changed; unknown properties are handed on.
 */
export function parseDefinition(
  input: unknown,
  idArgument?: string,
  loaded?: Loaded,
  { isStored = false } = {},
): Result<ParsedDefinition> {
  const findings = new GraphFindings(isStored);
  const deep = tooDeepAt(input);
  if (deep !== undefined) {
    findings.error("invalid_property", `The definition cannot be read: ${TOO_DEEP}, at ${deep}`);
    return refuse("invalid_workflow", findings.errors, []);
  }
  const raw = isObject(input) ? input : {};
  const id = readId(raw.id, idArgument, findings);
  const idProblem = findings.errors[0]?.code as "id_mismatch" | "invalid_id" | undefined;
  const { unchecked, ...shape } = readShape(raw, findings);
  if (unchecked) validateGraph(unchecked, { id, loaded, people: shape.people }, findings);
  const { errors, warnings } = findings;
  if (errors.length > 0) return refuse(idProblem ?? "invalid_workflow", errors, warnings);
  const name = typeof raw.name === "string" ? raw.name : id;
  const description = typeof raw.description === "string" ? raw.description : "";
  return ok({ definition: { ...raw, id, name, description, ...shape }, warnings });
}

/** "" if there is no usable one. */
function readId(own: Json | undefined, argument: string | undefined, findings: GraphFindings): string {
  const id = argument ?? own;
  if (argument !== undefined && own !== undefined && own !== argument)
    findings.error("id_mismatch", `The definition has the id ${JSON.stringify(own)}, but is loaded as "${argument}".`);
  else if (typeof id !== "string" || !WORKFLOW_ID.test(id))
    findings.error(
      "invalid_id",
      id === undefined
        ? "The definition has no id: give it one in lower-case kebab, e.g. bug-fix."
        : `A workflow id is lower-case kebab (${WORKFLOW_ID.source}), e.g. bug-fix; got ${JSON.stringify(id)}.`,
    );
  else if (id.length > MAX_WORKFLOW_ID_CHARS)
    findings.error(
      "invalid_id",
      `A workflow id has at most ${MAX_WORKFLOW_ID_CHARS} characters; "${cutText(id, 40)}..." has ${id.length}.`,
    );
  return typeof id === "string" ? id : "";
}

function refuse(reason: PlainCode, errors: Finding[], warnings: Finding[]): Result<never> {
  const count = errors.length === 1 ? "a mistake" : `${errors.length} mistakes`;
  const named = errors.slice(0, MAX_NAMED).map((error) => error.message.replace(/\.$/, ""));
  const more = errors.length > MAX_NAMED ? `; and ${errors.length - MAX_NAMED} more` : "";
  return {
    ok: false,
    fail: {
      reason,
      message: `The definition has ${count}: ${named.join("; ")}${more}.`,
      details: { issues: errors as unknown as Json, warnings: warnings as unknown as Json },
    },
  };
}
