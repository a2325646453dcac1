import type { CallToolResult, InputRequiredResult, McpServer, Tool } from "@modelcontextprotocol/server";
import * as z from "zod";
import { defined } from "../core/base/defined";
import { checkScopes } from "../node/identity/scopes";
import { inCallersTrace } from "../node/telemetry/global-provider";
import type { Backend } from "../server/backend/backend";
import { clientShowsViews, viewMeta } from "./apps/views";
import { checkStillAsked } from "./client-features/elicitation";
import { sendProgress } from "./client-features/progress";
import { InputNeeded, questionResult, resumedCall } from "./client-features/questions";
import { scopesOf } from "./context/identity";
import { noteSeen, withVersions } from "./context/known-tasks";
import type { Extra } from "./context/request";
import type { ServedTool, ToolCallRequest } from "./context/served-tool";
import type { ServerContext } from "./context/server-context";
import { AnswerForView, type Call, type McpTool } from "./context/tool";
import { failureOf } from "./results/errors";
import { errorResult, type Reminder, reminderOf, successResult } from "./results/tool-result";

const USUAL_CALL_MS = 20_000;

const SyncReminder = z.object({
  message: z.string(),
  pending: z.array(z.object({ id: z.string(), taskId: z.string() })),
  total: z.int().optional(),
});

/** Builds the output schema of a tool, with its reminder if it has one. */
export function outputOf({ data, reminder }: McpTool): z.ZodObject {
  return reminder === false ? z.object({ data }) : z.object({ data, _sync_reminder: SyncReminder.optional() });
}

/** A tool of Navigator as the protocol serves it. A description names a view only if the server has it. */
export function servedTool(spec: McpTool, server: () => McpServer, serverContext: ServerContext): ServedTool {
  const { name, title, description, input, hints, begin, appOnly } = spec;
  const _meta = serverContext.appFolder === undefined ? {} : viewMeta(spec);
  const contextOf = ({ extra }: Pick<ToolCallRequest, "extra">) => ({ serverContext, server: server(), extra });
  return {
    listed: {
      ...{ name, title, description, annotations: { title, ...hints } },
      inputSchema: schemaOf(input, "input"),
      outputSchema: schemaOf(outputOf(spec), "output"),
      execution: { taskSupport: begin === undefined ? "forbidden" : "optional" },
      ...(Object.keys(_meta).length === 0 ? {} : { _meta }),
    },
    ...(appOnly ? { isFor: clientShowsViews } : {}),
    parse: async (args) => {
      const parsed = await input.safeParseAsync(args);
      return parsed.success ? { ok: true, args: parsed.data } : { ok: false, problem: problemsOf(parsed.error) };
    },
    call: (request) => runToolCall(spec, request, contextOf(request)),
    ...(begin === undefined ? {} : { begin: (request) => beginTask(spec, begin, request, contextOf(request)) }),
  };
}

const problemsOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join(".")}: ${message}`)).join(", ");

/** Schemas are the same for every server of a process, and take long to write. */
const written = new WeakMap<z.ZodType, Tool["inputSchema"]>();

function schemaOf(type: z.ZodType, io: "input" | "output"): Tool["inputSchema"] {
  const known = written.get(type) ?? (z.toJSONSchema(type, { io, unrepresentable: "any" }) as Tool["inputSchema"]);
  written.set(type, known);
  return known;
}

async function beginTask(
  spec: McpTool,
  begin: Required<McpTool>["begin"],
  { args, extra }: ToolCallRequest,
  context: CallContext,
): Promise<{ taskId: string } | CallToolResult> {
  let backend: Backend | undefined;
  try {
    checkScope(spec, extra);
    backend = await context.serverContext.backend();
    const call = { ...backend, ...context };
    return { taskId: await inCallersTrace(traceOfCall(extra), () => begin(args, call)) };
  } catch (error) {
    return refusal(spec, error, backend, context);
  }
}

/** @throws NavigatorError `forbidden` for a token without the scope of the tool */
function checkScope({ name, scope, hints }: McpTool, { authInfo }: Extra): void {
  checkScopes([scope ?? (hints.readOnlyHint ? "read" : "act")], scopesOf(authInfo), `call ${name}`);
}

type CallContext = Pick<Call, "serverContext" | "server" | "extra">;

/**
 * Runs one call and returns its answer, or the question that it leads to.
 *
 * @throws NavigatorError `invalid_input`, for a state that was not given for this call
 */
async function runToolCall(
  spec: McpTool,
  { args, ...request }: ToolCallRequest,
  context: CallContext,
): Promise<CallToolResult | InputRequiredResult> {
  const resumed = resumedCall(spec.name, args, request, context);
  let backend: Backend | undefined;
  const { serverContext } = context;
  // Also while the first call waits for a server and a worker.
  const stop = sendProgress(context, () => serverContext.waitsFor?.() ?? `${spec.title}: under way`);
  try {
    checkScope(spec, context.extra);
    backend = await serverContext.backend();
    const call: Call = { ...context, ...backend, ...defined({ resumed }) };
    const { data, reminder } = await answered(spec, args, call);
    if (data instanceof AnswerForView) return { ...successResult(data.data, reminder), _meta: data.meta };
    noteSeen(data, args.taskId, call);
    return successResult(withVersions(data), reminder);
  } catch (error) {
    if (error instanceof InputNeeded) return questionResult(spec.name, args, error, context);
    return await refusal(spec, error, backend, context);
  } finally {
    stop();
  }
}

/** What a refused call answers: a result, so that a model can read it. */
async function refusal(
  { name, reminder }: McpTool,
  error: unknown,
  backend: Backend | undefined,
  context: CallContext,
): Promise<CallToolResult> {
  const { log } = context.serverContext;
  const failure = await failureOf(error, backend, log);
  log.info("mcp_tool_refused", { tool: name, code: failure.code });
  const reachable = failure.code !== "temporal_unavailable" ? backend : undefined;
  return errorResult(failure, reminder === false ? undefined : await quietReminder(reachable, context));
}

async function answered(spec: McpTool, args: { [name: string]: unknown }, call: Call) {
  const within = <T>(work: () => Promise<T>) =>
    call.client.temporal.withDeadline(Date.now() + (spec.limit_ms ?? USUAL_CALL_MS), work);
  const run = () =>
    inCallersTrace(traceOfCall(call.extra), () =>
      within(async () => {
        await checkStillAsked(call);
        return spec.run(args, call);
      }),
    );
  const remind = () => (spec.reminder === false ? undefined : quietReminder(call, call));
  // The answer lists what is pending after the call, so the two run in parallel only if the call changes nothing.
  if (spec.hints.readOnlyHint) {
    const [data, reminder] = await Promise.all([run(), remind()]);
    return { data, reminder };
  }
  // Lists are read at most once a second. They are read while the call works, so nobody waits for them after it; the
  // call's own changes are added to them.
  const reminded = spec.reminder !== false && call.serverContext.primaryStore !== undefined;
  if (reminded) void within(() => call.taskService.syncReminder(0)).catch(() => {});
  const data = await run();
  return { data, reminder: await remind() };
}

/** The trace that a call comes from: in the `_meta` of the request, as MCP has it, else in the headers of HTTP. */
function traceOfCall({ _meta, header }: Pick<Extra, "_meta" | "header">) {
  const { traceparent, tracestate } = _meta ?? {};
  return traceparent === undefined
    ? { traceparent: header("traceparent"), tracestate: header("tracestate") }
    : { traceparent, tracestate };
}

const REMINDER_MS = 5_000;

/** A successful call must not fail because a list could not be read. */
async function quietReminder(
  backend: Backend | undefined,
  { serverContext }: Pick<Call, "serverContext">,
): Promise<Reminder | undefined> {
  if (backend === undefined) return undefined;
  const { taskService, client } = backend;
  try {
    return await client.temporal.withDeadline(Date.now() + REMINDER_MS, () => reminderOf(taskService, serverContext));
  } catch (error) {
    serverContext.log.warn("mcp_reminder_failed", { error: (error as Error).message });
    return undefined;
  }
}
