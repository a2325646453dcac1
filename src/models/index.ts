export { MODEL_ERROR_CLASSES, type ModelCall, ModelError, type ModelErrorClass, type ModelProvider } from "./provider";
export { redact } from "./redact";
export { createModels, type ModelOptions, type ModelResolver } from "./resolver";
export { parseScript, type Script, ScriptedModel, type ScriptedReply } from "./scripted";
