import { z } from "zod";
import { RunAgentInput } from "../encodings/ag-ui";
import { ChatRequest } from "../encodings/ui-messages";
import type { DescribedOperation } from "../openapi/document";
import { HookAnswer } from "./hooks";
import { Token, WebSession } from "./session";

const FRONTS = "Chat fronts";
const MONITORING = "Monitoring";
const agent = z.object({ agent: z.string().meta({ example: "guide" }) });
const run = z.object({ id: z.string().meta({ example: "shop:agent/42" }) });

const JsonRpcCall = z.looseObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.number(), z.null()]).optional(),
  method: z.string().meta({ example: "SendMessage" }),
  params: z.looseObject({}).optional(),
});
const JsonRpcAnswer = z.looseObject({
  jsonrpc: z.literal("2.0"),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** Describes, for the OpenAPI document, the operations that answer with a cookie, with a stream, or with another text than JSON. */
export const OTHER_OPERATIONS: readonly DescribedOperation[] = [
  {
    method: "get",
    path: "/api/session",
    needs: [],
    operation: "showSession",
    summary: "Who is logged in",
    tag: "Sessions",
    answer: WebSession,
  },
  {
    method: "post",
    path: "/api/session",
    needs: [],
    operation: "logIn",
    summary: "Exchanges a token for a session cookie",
    tag: "Sessions",
    body: Token,
    answer: WebSession,
    status: 201,
  },
  {
    method: "delete",
    path: "/api/session",
    needs: [],
    operation: "logOut",
    summary: "Ends a browser's session",
    tag: "Sessions",
    status: 204,
  },
  {
    method: "get",
    path: "/api/runs/{id}/events",
    needs: ["read"],
    operation: "followRun",
    summary:
      "Streams the events of a mission and the text of its model calls (server-sent events); resumes after Last-Event-ID",
    tag: "Runs",
    params: run,
    query: z.object({ last_event_id: z.string().optional() }),
    answerType: "text/event-stream",
    errors: ["not_found", "invalid_id", "invalid_input"],
  },
  {
    method: "get",
    path: "/api/runs/{id}/ledger/export",
    needs: ["read"],
    operation: "exportLedger",
    summary: "The ledger as JSON Lines, which can be verified without a server",
    tag: "Runs",
    params: run,
    answerType: "application/jsonl",
    errors: ["not_found"],
  },
  {
    method: "post",
    path: "/api/ag-ui/{agent}",
    needs: ["read", "start", "decide"],
    operation: "runAgUi",
    summary: "AG-UI 1.0: starts a run, follows it, or answers its interrupts",
    tag: FRONTS,
    params: agent,
    body: RunAgentInput,
    answerType: "text/event-stream",
    errors: ["agent_not_found", "invalid_input", "invalid_id", "review_not_found", "seal_mismatch", "invalid_decision"],
  },
  {
    method: "post",
    path: "/api/chat/{agent}",
    needs: ["read", "start", "decide"],
    operation: "sendUiMessages",
    summary: "Answers `useChat` of the AI SDK with its UI message stream",
    tag: FRONTS,
    params: agent,
    body: ChatRequest,
    answerType: "text/event-stream",
    errors: ["agent_not_found", "invalid_input", "review_not_found", "seal_mismatch"],
  },
  {
    method: "get",
    path: "/api/chat/{agent}/{id}/stream",
    needs: ["read"],
    operation: "resumeUiMessages",
    summary: "The current message of a chat from its beginning; 204 without one",
    tag: FRONTS,
    params: agent.extend({ id: z.string().meta({ description: "The id of the chat" }) }),
    answerType: "text/event-stream",
    errors: ["agent_not_found"],
  },
  {
    method: "post",
    path: "/api/hooks/{name}",
    needs: [],
    operation: "takeHook",
    summary: "Records a signed event of another system in a mission's journal, once",
    tag: "Webhooks",
    params: z.object({
      name: z.string().meta({ example: "stripe", description: "As navigator.config names the sender" }),
    }),
    query: z.object({ mission: z.string().optional(), record: z.string().optional() }),
    body: z.json(),
    answer: HookAnswer,
    errors: ["not_found", "unauthenticated", "invalid_input", "already_exists", "no_worker"],
  },
  {
    method: "post",
    path: "/api/a2a",
    needs: ["read", "start", "act", "decide"],
    below: true,
    operation: "callA2a",
    summary: "A2A 1.0 over JSON-RPC: starts, follows, answers and cancels missions; HTTP+JSON is below it",
    tag: FRONTS,
    body: JsonRpcCall,
    answer: JsonRpcAnswer,
  },
  {
    method: "get",
    path: "/.well-known/agent-card.json",
    needs: [],
    operation: "showAgentCard",
    summary: "The agent card of A2A; needs no token",
    tag: FRONTS,
    query: z.object({ skill: z.string().optional().meta({ description: "The card of this agent alone" }) }),
    answer: z.looseObject({ name: z.string() }),
    errors: ["agent_not_found"],
  },
  {
    method: "get",
    path: "/api/openapi.json",
    needs: [],
    operation: "showApi",
    summary: "This document; needs no token",
    tag: MONITORING,
    answer: z.looseObject({ openapi: z.string() }),
  },
  {
    method: "get",
    path: "/healthz",
    needs: [],
    operation: "isLive",
    summary: "Liveness; needs no token",
    tag: MONITORING,
    answer: z.object({ status: z.literal("ok") }),
  },
  {
    method: "get",
    path: "/readyz",
    needs: [],
    operation: "isReady",
    summary: "Readiness of the Temporal server and workers, else 503 with reasons; needs no token",
    tag: MONITORING,
    answer: z.object({ status: z.enum(["ready", "not_ready"]), reasons: z.array(z.string()).optional() }),
  },
  {
    method: "get",
    path: "/metrics",
    needs: ["metrics"],
    operation: "readMetrics",
    summary: "Metrics in the text format of Prometheus",
    tag: MONITORING,
    answerType: "text/plain",
  },
];
