export { MODEL_ERROR_CLASSES, type Model, type ModelCall, ModelError, type ModelErrorClass } from "./model";
export { redact } from "./redact";
export { createModels, type ModelOptions, type ModelResolver } from "./resolver";
export { parseScript, type Script, type ScriptedReply, scriptedModel } from "./scripted";
