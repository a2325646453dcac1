export { isToolRetry, ToolDefinitionError, ToolFailure, ToolRetry } from "./errors";
export { errorText, invokeTool } from "./invoke";
export { ToolRegistry } from "./registry";
export { type Duration, defineTool, type Tool, type ToolContext } from "./tool";
