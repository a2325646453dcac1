import type { CallToolResult, InputRequiredResult, Tool } from "@modelcontextprotocol/server";
import type { Extra, RequestClient } from "./request";

/** A tool call as it arrives, before anything of it is known. */
export interface ToolCallRequest {
  args: { [name: string]: unknown };
  extra: Extra;
  /** What a client that was asked something brings back. */
  requestState: string | undefined;
  inputResponses: { [key: string]: unknown } | undefined;
}

/** A tool as the protocol lists and calls it, in both eras. */
export interface ServedTool {
  /** As `tools/list` has it; `execution` is of the older era alone. */
  listed: Tool;
  /** Other clients do not see the tool, and cannot call it. */
  isFor?(client: RequestClient): boolean;
  /** The arguments with their defaults, or the mistake in them. */
  parse(args: unknown): Promise<{ ok: true; args: { [name: string]: unknown } } | { ok: false; problem: string }>;
  call(request: ToolCallRequest): Promise<CallToolResult | InputRequiredResult>;
  /** For a tool whose work continues after the answer: begins it and returns the id of the task of the protocol. */
  begin?(request: ToolCallRequest): Promise<{ taskId: string } | CallToolResult | InputRequiredResult>;
  /** It can only be called as a task. */
  needsTask?: true;
}
