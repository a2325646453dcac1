import { AiSdkModel } from "./ai-sdk";
import type { FormerProviderModel, ProviderModel } from "./ai-sdk-model";
import { type CallOptions, type Model, type ModelCall, ModelError } from "./model";

/** A function that answers model calls: with a text, or with a whole reply. */
export type ModelFunction = (
  call: ModelCall,
  options: CallOptions,
) => string | ReturnedReply | Promise<string | ReturnedReply>;
type ReturnedReply = Awaited<ReturnType<Model["complete"]>>;

/** What `models` takes under a name: a model object of the AI SDK (6 or 5), a function, or an object with `complete`. */
export type ModelSource = Model | ProviderModel | FormerProviderModel | ModelFunction;

/** A provider or a registry of the AI SDK: `createProviderRegistry(...)`, `createGroq(...)`. */
export interface ModelRegistry {
  languageModel(id: never): unknown;
}

/** The version of the interface that the AI SDK's model objects must have. */
const VERSION = "v3";

/** That of AI SDK 5, which AI SDK 6 takes as well. */
const FORMER = "v2";

/** Loads a model of AI SDK 5 as AI SDK 6 takes it, which warns of it: once. */
function upgrading(model: ProviderModel): () => Promise<ProviderModel> {
  let upgraded: Promise<ProviderModel> | undefined;
  const upgrade = async () => {
    const { wrapProvider } = await import("ai");
    const provider = { languageModel: () => model, textEmbeddingModel: none, imageModel: none };
    return wrapProvider({ provider: provider as never, languageModelMiddleware: [] }).languageModel(model.modelId);
  };
  return () => {
    upgraded ??= upgrade();
    return upgraded;
  };
}

const none = () => undefined;

const isAiSdkModel = (source: object): source is ProviderModel | FormerProviderModel =>
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
  if (version !== VERSION && version !== FORMER)
    throw new ModelError(
      "config_error",
      `The model ${name} is an object of the AI SDK with the specification ${version}; Navigator takes ${VERSION}, of AI SDK 6, and ${FORMER}, of AI SDK 5. Install a version of its package for AI SDK 6.`,
    );
  const model = source as ProviderModel;
  const load = version === FORMER ? upgrading(model) : async () => model;
  const marksCache = /anthropic/.test(provider) || /claude/.test(modelId);
  return new AiSdkModel({ name, load, address: undefined, marksCache, secrets: [], timeout_ms });
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

/**
 * Whether a registry has a model for every id, as a provider has: then it is not known whether it really has a given
 * name.
 */
export function hasEveryId(registry: ModelRegistry): boolean {
  try {
    return isModelSource(registry.languageModel("navigator:no/such-model" as never));
  } catch {
    // `AI_NoSuchModelError`, or whatever else: it does not have this one.
    return false;
  }
}
