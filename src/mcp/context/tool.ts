import type { McpServer, ToolAnnotations } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { ErrorCode } from "../../core/base/error-codes";
import type { Scope } from "../../node/identity/scopes";
import type { Backend } from "../../server/backend/backend";
import type { Resumed } from "./question";
import type { Extra } from "./request";
import type { ServerContext } from "./server-context";

/** The views that hosts show in the chat. */
export type AppView = "inbox" | "mission";

/** A tool as data: its name, arguments, result and function. */
export interface McpTool<I extends z.ZodObject = z.ZodObject> {
  /** Unique; the constant has the same name: `get_run` is `getRunTool`. */
  name: string;
  title: string;
  description: string;
  /** Strict: an unknown argument is refused by its name. */
  input: I;
  /** Of `data` in the answer. */
  data: z.ZodType;
  hints: Required<Pick<ToolAnnotations, "readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint">>;
  /** The scope that a token needs for it over HTTP; default: `read` for a tool that changes nothing, else `act`. */
  scope?: Scope;
  /** Its additional error codes, besides those that every tool has. */
  errors?: readonly ErrorCode[];
  /** The total time limit in ms; default: 20 s, which is enough for a running worker, however busy. */
  limit_ms?: number;
  /** The view that shows its answers, in hosts that show views. */
  view?: AppView;
  /** It is there for the view alone: hosts keep it from their models, and only hosts that show views are given it. */
  appOnly?: true;
  /** false: its result lists the pending syncs itself. */
  reminder?: false;
  /** @throws NavigatorError for refused calls */
  run(args: z.infer<I>, call: Call): Promise<unknown>;
  /**
   * For a tool whose work is a workflow: starts the work and returns its workflow id. Clients may then get the result
   * as an MCP task.
   */
  begin?(args: z.infer<I>, call: Pick<Call, "client" | "extra" | "taskService" | "serverContext">): Promise<string>;
}

/** An answer with something for the view alone: hosts do not give it to their models. */
export class AnswerForView {
  constructor(
    readonly data: object,
    /** It becomes the `_meta` of the result. */
    readonly meta: { [field: string]: unknown },
  ) {}
}

/** Infers the types of a spec from its input schema. */
export const tool = <I extends z.ZodObject>(spec: McpTool<I>): McpTool => spec as unknown as McpTool;

/** One call in progress. */
export interface Call extends Backend {
  serverContext: ServerContext;
  server: McpServer;
  extra: Extra;
  /** The call comes with the answer to a question that it led to before. */
  resumed?: Resumed;
}

/** No call takes longer than this: many clients time out after a minute. */
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
