import { AiSdkModel } from "./ai-sdk";
import type { ProviderModel } from "./ai-sdk-model";
import { type CallOptions, type Model, type ModelCall, ModelError } from "./model";

/** A function that answers model calls: with a text, or with a whole reply. */
export type ModelFunction = (
  call: ModelCall,
  options: CallOptions,
) => string | ReturnedReply | Promise<string | ReturnedReply>;
type ReturnedReply = Awaited<ReturnType<Model["complete"]>>;

/** What `models` takes under a name: a model object of the AI SDK (6), a function, or an object with `complete`. */
export type ModelSource = Model | ProviderModel | ModelFunction;

/** A provider or a registry of the AI SDK: `createProviderRegistry(...)`, `createGroq(...)`. */
export interface ModelRegistry {
  languageModel(id: never): unknown;
}

/** The version of the interface that the AI SDK's model objects must have. */
const VERSION = "v3";

const isAiSdkModel = (source: object): source is ProviderModel =>
  "specificationVersion" in source && "doGenerate" in source && "modelId" in source;

/** Whether a value can be a model under a name. */
export const isModelSource = (source: unknown): source is ModelSource =>
  typeof source === "function" ||
  (typeof source === "object" && source !== null && (isAiSdkModel(source) || hasFunction(source, "complete")));

/** Whether a value is a provider or a registry of the AI SDK. */
export const isModelRegistry = (source: unknown): source is ModelRegistry =>
  (typeof source === "object" || typeof source === "function") &&
  source !== null &&
  hasFunction(source, "languageModel");

const hasFunction = (source: object, name: string): boolean =>
  typeof (source as { [key: string]: unknown })[name] === "function";

/**
 * The model of a source.
 *
 * @param timeout_ms after which a call of an AI SDK model is given up
 * @throws ModelError `config_error` for a model object of another version of the AI SDK
 */
export function modelOfSource(name: string, source: ModelSource, timeout_ms: number): Model {
  if (typeof source === "function")
    return {
      complete: async (call, options) => {
        const reply = await source(call, options);
        return typeof reply === "string" ? { content: reply } : reply;
      },
    };
  if (!isAiSdkModel(source)) return source;
  const { provider, modelId } = source;
  const version: string = source.specificationVersion;
  if (version !== VERSION)
    throw new ModelError(
      "config_error",
      `The model ${name} is an object of the AI SDK with the specification ${version}; Navigator takes ${VERSION}, which is that of AI SDK 6. Install the version of its package for AI SDK 6.`,
    );
  const marksCache = /anthropic/.test(provider) || /claude/.test(modelId);
  return new AiSdkModel({ name, load: async () => source, address: undefined, marksCache, secrets: [], timeout_ms });
}

/**
 * A model of a registry by its id, as in `anthropic:claude-sonnet-4-5`; null when the registry has none of that name.
 *
 * @throws ModelError as `modelOfSource`
 */
export function modelOfRegistry(id: string, registry: ModelRegistry, timeout_ms: number): Model | null {
  let found: unknown;
  try {
    found = registry.languageModel(id as never);
  } catch (error) {
    if (/^AI_NoSuch(Model|Provider)Error$/.test(String((error as { name?: unknown }).name))) return null;
    throw error;
  }
  return isModelSource(found) ? modelOfSource(id, found, timeout_ms) : null;
}
