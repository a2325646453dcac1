import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { ErrorCode } from "../core/base/error-codes";
import { type Reminder, refusal, reminderOf, success } from "./answers/answer";
import { failureOf } from "./answers/failure";
import { keepTelling } from "./asking/progress";
import type { Backend, ServerParts } from "./server-context";

/** A tool as data: what it is called, what it takes and gives, and what it does. */
export interface ToolSpec<I extends z.ZodObject = z.ZodObject> {
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
}

/** Takes the types of a spec from its input schema. */
export const tool = <I extends z.ZodObject>(spec: ToolSpec<I>): ToolSpec => spec as unknown as ToolSpec;

export type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** One call under way. */
export interface Call extends Backend {
  parts: ServerParts;
  server: McpServer;
  extra: Extra;
}

/** No call is held longer than this, whatever it waits for: many clients give up after a minute. */
export const LONGEST_CALL_MS = 45_000;
const USUAL_CALL_MS = 20_000;

export const READ = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const CHANGE = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const SETTLE = { ...CHANGE, idempotentHint: true };
export const REPLACE = { ...SETTLE, destructiveHint: true };
export const RUN = { ...CHANGE, openWorldHint: true };

const SyncReminder = z.object({
  message: z.string(),
  pending: z.array(z.object({ id: z.string(), taskId: z.string() })),
  total: z.int().optional(),
});

export function outputOf({ data, reminder }: ToolSpec): z.ZodObject {
  return reminder === false ? z.object({ data }) : z.object({ data, _sync_reminder: SyncReminder.optional() });
}

/** What the SDK is told of a tool. */
export function configOf(spec: ToolSpec) {
  const { title, description, input, hints } = spec;
  return { title, description, inputSchema: input, outputSchema: outputOf(spec), annotations: { title, ...hints } };
}

export function registerTools(server: McpServer, parts: ServerParts, tools: readonly ToolSpec[]): void {
  for (const spec of tools)
    server.registerTool(spec.name, configOf(spec), (args, extra) => callTool(spec, args, { parts, server, extra }));
}

/** Runs one call to its answer; never throws. */
export async function callTool(
  spec: ToolSpec,
  args: { [name: string]: unknown },
  context: Omit<Call, keyof Backend>,
): Promise<CallToolResult> {
  const { log } = context.parts;
  let backend: Backend | undefined;
  try {
    backend = await context.parts.backend();
    const { data, reminder } = await answered(spec, args, { ...context, ...backend });
    return success(data, reminder);
  } catch (error) {
    const failure = await failureOf(error, backend, log);
    log.info("mcp_tool_refused", { tool: spec.name, code: failure.code });
    const reachable = failure.code !== "temporal_unavailable" ? backend : undefined;
    return refusal(failure, spec.reminder === false ? undefined : await quietReminder(reachable, context));
  }
}

async function answered(spec: ToolSpec, args: { [name: string]: unknown }, call: Call) {
  const within = <T>(work: () => Promise<T>) =>
    call.client.temporal.withDeadline(Date.now() + (spec.limit_ms ?? USUAL_CALL_MS), work);
  const run = async () => {
    const stop = keepTelling(call, () => `${spec.title}: under way`);
    try {
      return await within(() => spec.run(args, call));
    } finally {
      stop();
    }
  };
  const remind = () => (spec.reminder === false ? undefined : quietReminder(call, call));
  // It tells what is pending after the call: only where the call changes nothing can the two go side by side.
  if (spec.hints.readOnlyHint) {
    const [data, reminder] = await Promise.all([run(), remind()]);
    return { data, reminder };
  }
  // Lists are read once a second at most. Read while the call works, they need not be waited for after it; what it
  // changes itself is laid over them.
  if (spec.reminder !== false) void within(() => call.desk.syncReminder(0)).catch(() => {});
  const data = await run();
  return { data, reminder: await remind() };
}

const REMINDER_MS = 5_000;

/** A call that worked is not spoilt by what could not be read beside it. */
async function quietReminder(
  backend: Backend | undefined,
  { parts }: Pick<Call, "parts">,
): Promise<Reminder | undefined> {
  if (backend === undefined) return undefined;
  const { desk, client } = backend;
  try {
    return await client.temporal.withDeadline(Date.now() + REMINDER_MS, () => reminderOf(desk));
  } catch (error) {
    parts.log.warn("mcp_reminder_failed", { error: (error as Error).message });
    return undefined;
  }
}
