import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest, ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import type * as z from "zod";
import type { ErrorCode } from "../../core/base/error-codes";
import type { Backend, ServerContext } from "./server-context";

/** A tool as data: its name, its arguments, its answer and its work. */
export interface McpTool<I extends z.ZodObject = z.ZodObject> {
  /** Unique; its file has the same name, with hyphens. */
  name: string;
  title: string;
  description: string;
  /** Strict: an argument nobody knows is refused by its name. */
  input: I;
  /** Of `data` in the answer. */
  data: z.ZodType;
  hints: Required<Pick<ToolAnnotations, "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint">>;
  /** Codes of its own refusals, beside those that every tool has. */
  errors?: readonly ErrorCode[];
  /** Ms that it may take in all; default: 20 s, which is enough for a worker that is there, however busy. */
  limit_ms?: number;
  /** false: it answers with what is pending itself. */
  reminder?: false;
  /** @throws NavigatorError for what it refuses */
  run(args: z.infer<I>, call: Call): Promise<unknown>;
  /**
   * Of a tool whose work is a workflow of its own: starts the work and gives its workflow id. Clients may then have the
   * answer as a task of MCP.
   */
  begin?(args: z.infer<I>, call: Pick<Call, "client" | "taskService" | "serverContext">): Promise<string>;
}

/** Takes the types of a spec from its input schema. */
export const tool = <I extends z.ZodObject>(spec: McpTool<I>): McpTool => spec as unknown as McpTool;

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** One call under way. */
export interface Call extends Backend {
  serverContext: ServerContext;
  server: McpServer;
  extra: Extra;
}

/** No call is held longer than this, whatever it waits for: many clients give up after a minute. */
export const LONGEST_CALL_MS = 45_000;

/** Annotations of a tool that changes nothing. */
export const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
/** Annotations of a tool that changes tasks, and changes them again when it is called again. */
export const CHANGE = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
/** Annotations of a tool that changes nothing more when it is called again. */
export const SETTLE = { ...CHANGE, idempotentHint: true };
/** As SETTLE, for a tool that replaces or ends what was there. */
export const REPLACE = { ...SETTLE, destructiveHint: true };
/** As CHANGE, for a tool whose work reaches outside of Navigator. */
export const RUN = { ...CHANGE, openWorldHint: true };
