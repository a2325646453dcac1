export type { Chunk, ChunkListener, ChunkListeners } from "./listener";
export {
  type CallOptions,
  MODEL_ERROR_CLASSES,
  type Model,
  type ModelCall,
  ModelError,
  type ModelErrorClass,
} from "./model";
export { PRICES, PRICES_LOOKED_UP, type PriceTable, priceOf } from "./prices";
export { installedProviders } from "./provider-packages";
export { type ProviderState, providerStates } from "./providers";
export { redact } from "./redact";
export {
  createModels,
  type ModelOptions,
  type ModelResolver,
  modelsWithAgents,
  type PreparedModel,
  prepareModels,
} from "./resolver";
export { parseScript, type Script, type ScriptedReply, scriptedModel } from "./scripted";
