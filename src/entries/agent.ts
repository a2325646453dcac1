/** `navigator-agents/agent`: agents as plain data, for tools that need no server and no model. */

export { estimateTokens } from "../core/agent/budget/token-counts";
export { defaultFormatOptions } from "../core/agent/definition/agent-file";
export type { AgentDefinition } from "../core/agent/definition/definition";
export { parseAgent } from "../core/agent/definition/parse-agent";
export { textReturn } from "../core/agent/prompt/text-prompt";
export { type PromptPreview, previewPrompt } from "../core/agent/run/preview";
export { expandBuiltinTools, toolSpecs as effectiveTools } from "../core/agent/tools/run-tools";
export { type AgentSource, defineAgent, type TypedAgentSource } from "../project/authoring/define-agent";
