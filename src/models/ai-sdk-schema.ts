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
 * Makes a model follow a JSON Schema, in each provider's own way. All require an object at the root; otherwise the
 * agent reads the answer by itself, as it does if a provider refuses the schema.
 */
export function usableSchema(schema: JsonObject | undefined): JsonObject | undefined {
  return schema?.type === "object" && isObject(schema.properties) ? schema : undefined;
}

/** The provider options for a schema. Each provider reads its own key. */
export function schemaOptions(schema: JsonObject): ProviderOptions {
  const objects = objectSchemas(schema as Schema);
  const open = objects.some(allowsOtherProperties);
  const strictJsonSchema = !open && objects.every(requiresAll);
  return {
    // Strict means that every field is required and no others are allowed; OpenAI refuses other schemas then.
    openai: { strictJsonSchema },
    "openai-compatible": { strictJsonSchema },
    // Anthropic's own way closes every object, so that a map would always be empty. A tool's arguments may be open.
    anthropic: { structuredOutputMode: open ? "jsonTool" : "auto" },
  };
}

/**
 * Parameters without defaults: Google reads "anything goes" as a schema with an empty list of properties, and refuses
 * it.
 */
export function plainParameters({ additionalProperties, ...schema }: JsonObject): JsonObject {
  return additionalProperties === undefined || additionalProperties === true
    ? schema
    : { ...schema, additionalProperties };
}

/** A refusal that the schema may have caused. Other errors have the same status. */
export function mayRefuseSchema(error: unknown): boolean {
  const { statusCode } = (error ?? {}) as { statusCode?: unknown };
  return typeof statusCode === "number" && [400, 404, 422, 501].includes(statusCode);
}
