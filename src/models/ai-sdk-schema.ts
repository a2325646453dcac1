import { isObject } from "../core/base/is-object";
import type { JsonObject } from "../core/base/json";
import {
  allowsOtherProperties,
  objectSchemas,
  requiresAll,
  type Schema,
} from "../core/signature/json-schema/schema-reader";
import type { ProviderOptions } from "./ai-sdk-model";

/**
 * Holding a model to a JSON Schema, each provider in its own way. All want an object at the root; without one the
 * agent reads the answer by itself, as it does when a provider refuses the schema.
 */
export function usableSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.type === "object" && isObject(schema.properties) ? schema : undefined;
}

/** What providers are told about a schema. Each reads its own key. */
export function schemaOptions(schema: JsonObject): ProviderOptions {
  const objects = objectSchemas(schema as Schema);
  const open = objects.some(allowsOtherProperties);
  const strictJsonSchema = !open && objects.every(requiresAll);
  return {
    // Strict means that every field is required and none may be added; OpenAI refuses other schemas then.
    openai: { strictJsonSchema },
    "openai-compatible": { strictJsonSchema },
    // Anthropic's own way closes every object, so that a map would always be empty. A tool's arguments may be open.
    anthropic: { structuredOutputMode: open ? "jsonTool" : "auto" },
  };
}

/** Parameters without what is said anyway: Google takes "anything goes" for a schema with an empty list of properties, and refuses it. */
export function plainParameters({ additionalProperties, ...schema }: JsonObject): JsonObject {
  return additionalProperties === undefined || additionalProperties === true
    ? schema
    : { ...schema, additionalProperties };
}

/** A refusal that a schema may be the reason of. Other requests are refused in the same words without it. */
export function mayRefuseSchema(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === "number" && [400, 404, 422, 501].includes(statusCode);
}
