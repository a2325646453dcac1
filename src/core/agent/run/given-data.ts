import type { Failure } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { fromJson } from "../../lisp/values/encode";
import { LispError } from "../../lisp/values/errors";
import { toPlainJson } from "../../lisp/values/plain-json";
import { isOptional, joinPath } from "../../signature/check";
import { type Coerced, coerceValue } from "../../signature/coerce";
import { type Field, wireName } from "../../signature/parse";
import type { AgentDefinition } from "../definition/definition";
import { agentSignature } from "../definition/definition";

/** The fields that an agent's signature requires of the data of a run. */

const parametersOf = (agent: AgentDefinition): readonly Field[] => agentSignature(agent)?.parameters ?? [];

/** Names of required parameters that are missing. */
export function missingInputs(agent: AgentDefinition, data: JsonObject): string[] {
  const given = new Set(Object.keys(data).map(wireName));
  return parametersOf(agent)
    .filter((field) => !isOptional(field.type) && !given.has(wireName(field.name)))
    .map((field) => field.name);
}

interface GivenData {
  data: JsonObject;
  /** The changes, in words. */
  changes: string[];
  fail: Failure | null;
}

/**
 * Converts the data to the types of the agent's parameters, unless the agent has `validate_input: false`: for example,
 * number texts become numbers. All mismatches are reported together, with their paths. Undeclared data stays.
 */
export function readData(agent: AgentDefinition, given: JsonObject): GivenData {
  if (!agent.validate_input) return { data: given, changes: [], fail: null };
  const changes: string[] = [];
  const errors = missingInputs(agent, given).map((path) => ({ path, message: "expected field, got nil" }));
  const entries = Object.entries(given).map(([key, value]): [string, Json] => {
    const field = parametersOf(agent).find(({ name }) => wireName(name) === wireName(key));
    if (field === undefined) return [key, value];
    const read = coerced(field, value);
    if (!read.ok) {
      errors.push({ path: joinPath(key, read.path), message: read.message });
      return [key, value];
    }
    // What fits is passed on as it was given, with all that only the language can write.
    if (read.warnings.length === 0) return [key, value];
    changes.push(...read.warnings.map((warning) => `${key}: ${warning}`));
    return [key, toPlainJson(read.value)];
  });
  return { data: Object.fromEntries(entries), changes, fail: errors.length === 0 ? null : misfit(errors) };
}

function coerced(field: Field, json: Json): Coerced {
  try {
    return coerceValue(field.type, fromJson(json), { keepUndeclared: true });
  } catch (error) {
    if (error instanceof LispError) return { ok: false, path: "", message: error.message };
    throw error;
  }
}

function misfit(errors: { path: string; message: string }[]): Failure {
  const message = errors.map(({ path, message: what }) => `context.${path}: ${what}`).join("; ");
  return { reason: "validation_error", message, details: { input: true, errors } };
}
