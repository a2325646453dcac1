export type { Duration } from "./duration";
export { completesLater, isToolRetry, ToolDefinitionError, ToolFailure, ToolRetry } from "./errors";
export { errorText, invokeTool } from "./invoke";
export { RateLimits } from "./rate-limit";
export { ToolRegistry } from "./registry";
export { type ApprovalOptions, type DefineTool, defineTool, LATER, type Tool, type ToolContext } from "./tool";
