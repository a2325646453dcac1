import { createHash } from "node:crypto";
import { AgentCard } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import {
  A2A_ERROR_CODE,
  ContentTypeNotSupportedError,
  fromJsonRpcErrorResponse,
  RequestMalformedError,
  restStatusFor,
  toJsonRpcError,
  toRestErrorBody,
  VersionNotSupportedError,
} from "@a2a-js/sdk/errors";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { WebContext, WebEnv, WebSecurity } from "../context/context";
import type { ConversationSources } from "../events/conversation-feed";
import type { EndpointCall } from "../routes/endpoint";
import { keepAlive } from "../routes/events";
import { A2A_PATH, A2A_VERSION, agentCard, LEGACY_VERSION } from "./agent-card";
import { a2aError, invalidAt } from "./errors";
import { JSON_TYPE } from "./parts";
import { MissionRequestHandler } from "./request-handler";
import { restCall } from "./rest-calls";

/** How long a client may keep the card, in seconds. */
const CARD_S = 300;
const REST_TYPE = "application/a2a+json";

/** What a handler of the SDK answers: one envelope, or one for each event. */
type Envelope = { id?: unknown; result?: unknown; error?: unknown };
type Answer = Envelope | AsyncGenerator<Envelope, void, undefined>;

type Answering = (c: Context<WebEnv>) => Promise<Response>;

/** What answers the requests of A2A. */
export interface A2aServer {
  card: Answering;
  rpc: Answering;
  rest: Answering;
}

/** The parts that the server makes its answers from. */
interface Served {
  web: WebContext;
  security: WebSecurity;
  sources: ConversationSources;
}

/** Both bindings do the same: a request of HTTP+JSON is made into a call of JSON-RPC. */
export function a2aServer(web: WebContext, security: WebSecurity, sources: ConversationSources): A2aServer {
  const served = { web, security, sources };
  return {
    card: async (c) => answerCard(c, served),
    rpc: (c) => answerRpc(c, served),
    rest: (c) => answerRest(c, served),
  };
}

const originOf = (c: Context<WebEnv>, { isSecure }: WebSecurity): string =>
  `${isSecure ? "https" : "http"}://${c.req.header("host") ?? ""}`;

function answerCard(c: Context<WebEnv>, { web, security }: Served): Response {
  const shown = agentCard(web, { origin: originOf(c, security), skill: c.req.query("skill") });
  const text = JSON.stringify(AgentCard.toJSON(shown));
  const etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
  const headers = { etag, "cache-control": `public, max-age=${CARD_S}`, "content-type": "application/json" };
  return c.req.header("if-none-match") === etag ? c.body(null, 304, headers) : c.body(text, 200, headers);
}

async function handlerOf(c: Context<WebEnv>, { web, security, sources }: Served, gone: AbortController) {
  const call: EndpointCall = { ...(await web.backend()), caller: c.get("caller"), web, request: c };
  const signal = AbortSignal.any([c.req.raw.signal, gone.signal]);
  return new MissionRequestHandler(call, sources, originOf(c, security), signal);
}

/** A call of JSON-RPC, as far as it is read. A notification gets no answer. */
interface RpcCall {
  id: unknown;
  isAnswered: boolean;
}

async function answerRpc(c: Context<WebEnv>, served: Served): Promise<Response> {
  const call: RpcCall = { id: null, isAnswered: true };
  try {
    return await callRpc(c, served, call);
  } catch (error) {
    const reported = toJsonRpcError(a2aError(error, served.web.log));
    return call.isAnswered ? c.json({ jsonrpc: "2.0", id: call.id, error: reported } as JsonObject) : c.body(null, 204);
  }
}

async function callRpc(c: Context<WebEnv>, served: Served, call: RpcCall): Promise<Response> {
  checkType(c, [JSON_TYPE]);
  const body = await jsonOf(c).catch(() => undefined);
  if (body === undefined) return c.json(NO_JSON);
  const id = idOf(body);
  call.id = id;
  const problem = problemOfRequest(body);
  if (problem !== null) return c.json(invalidRequest(id, problem));
  call.isAnswered = !isNotification(body as JsonObject);
  const version = versionOf(c);
  checkVersion(version, [A2A_VERSION, LEGACY_VERSION]);
  const gone = new AbortController();
  const handler = await handlerOf(c, served, gone);
  const transport =
    version === A2A_VERSION ? new JsonRpcTransportHandler(handler) : new LegacyJsonRpcTransportHandler(handler);
  const answer: Answer = await transport.handle(
    body as JsonObject,
    new ServerCallContext({ requestedVersion: version }),
  );
  if (!call.isAnswered) return unanswered(c, answer);
  return send(c, answer, {
    whole: (one) => c.json(one as JsonObject),
    event: (one) => one,
    failed: (error) => ({ jsonrpc: "2.0", id, error: toJsonRpcError(error) }),
    web: served.web,
    gone,
  });
}

async function answerRest(c: Context<WebEnv>, served: Served): Promise<Response> {
  try {
    return await callRest(c, served);
  } catch (error) {
    return restRefusal(c, served.web, error);
  }
}

function restFailure(web: WebContext, error: unknown) {
  const one = a2aError(error, web.log);
  const status = restStatusFor(one);
  return { status, body: toRestErrorBody(one, status) };
}

function restRefusal(c: Context<WebEnv>, web: WebContext, error: unknown, details?: unknown): Response {
  const { status, body } = restFailure(web, error);
  const reported = details === undefined ? body : { error: { ...body.error, details } };
  return c.body(JSON.stringify(reported), status as 400, { "content-type": "application/json" });
}

async function callRest(c: Context<WebEnv>, served: Served): Promise<Response> {
  const { web } = served;
  checkVersion(versionOf(c), [A2A_VERSION]);
  const call = restCall(c.req.method, c.req.path.slice(A2A_PATH.length + 1), c.req.query(), await restBody(c));
  if (call === null)
    throw new NavigatorError("not_found", `There is nothing at ${c.req.method} ${c.req.path}.`, {
      details: { path: c.req.path, kind: "route" },
    });
  const { method, params, status = 200 } = call;
  const gone = new AbortController();
  const transport = new JsonRpcTransportHandler(await handlerOf(c, served, gone));
  const answer: Answer = await transport.handle(
    { jsonrpc: "2.0", id: 0, method, params },
    new ServerCallContext({ requestedVersion: A2A_VERSION }),
  );
  return send(c, answer, {
    whole: ({ result, error }) => {
      if (error !== undefined)
        // The code gives the class of the error; its data comes from the original.
        return restRefusal(
          c,
          web,
          fromJsonRpcErrorResponse({ jsonrpc: "2.0", id: 0, error } as never),
          (error as { data?: unknown }).data,
        );
      if (status === 204) return c.body(null, 204);
      // A client that sends plain JSON gets plain JSON.
      const type = typeOf(c) === JSON_TYPE ? JSON_TYPE : REST_TYPE;
      return c.body(JSON.stringify(result), status, { "content-type": type });
    },
    event: ({ result }) => result,
    failed: (error) => restFailure(web, error).body,
    web,
    gone,
  });
}

/** How an answer is written in a binding. */
interface Binding {
  whole(answer: Envelope): Response;
  event(answer: Envelope): unknown;
  failed(error: unknown): unknown;
  web: WebContext;
  /** Ends the work for a client that takes nothing any more. */
  gone: AbortController;
}

async function send(
  c: Context<WebEnv>,
  answer: Answer,
  { whole, event, failed, web, gone }: Binding,
): Promise<Response> {
  if (!isStream(answer)) return whole(answer);
  // What is refused at once is an answer, and no stream.
  const first = await answer.next();
  c.header("x-accel-buffering", "no");
  return streamSSE(c, async (sse) => {
    sse.onAbort(() => gone.abort());
    const alive = keepAlive(sse, gone);
    try {
      for (let next = first; !next.done && !gone.signal.aborted; next = await answer.next())
        await sse.writeSSE({ data: JSON.stringify(event(next.value)) });
    } catch (error) {
      await sse.writeSSE({ data: JSON.stringify(failed(a2aError(error, web.log))) });
    } finally {
      clearInterval(alive);
      await answer.return(undefined);
    }
  });
}

/** A notification is done, too: a stream has begun its work by its first event. */
async function unanswered(c: Context<WebEnv>, answer: Answer): Promise<Response> {
  if (isStream(answer)) {
    await answer.next();
    await answer.return(undefined);
  }
  return c.body(null, 204);
}

const isStream = (answer: Answer): answer is AsyncGenerator<Envelope, void, undefined> =>
  Symbol.asyncIterator in answer;

/** Reads the version from the header or the query; without one it is 0.3. */
const versionOf = (c: Context<WebEnv>): string =>
  (c.req.header("a2a-version") ?? c.req.query("A2A-Version") ?? "") || LEGACY_VERSION;

function checkVersion(version: string, known: readonly string[]): void {
  if (known.includes(version)) return;
  throw new VersionNotSupportedError({
    message: `A2A ${version} is not supported here. Send A2A-Version: ${known[0]}.`,
    metadata: invalidAt("A2A-Version"),
  });
}

/** The media type of the body; undefined: the request names none. */
const typeOf = (c: Context<WebEnv>): string | undefined =>
  c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();

function checkType(c: Context<WebEnv>, known: readonly string[]): void {
  const type = typeOf(c);
  if (type === undefined || known.includes(type)) return;
  throw new ContentTypeNotSupportedError({
    message: `The body is of type "${type}": send ${known[0]}.`,
    metadata: invalidAt("Content-Type"),
  });
}

const NO_JSON = {
  jsonrpc: "2.0",
  id: null,
  error: { code: A2A_ERROR_CODE.PARSE_ERROR, message: "The body is no JSON." },
};

const jsonOf = async (c: Context<WebEnv>): Promise<unknown> => JSON.parse(await c.req.text());

async function restBody(c: Context<WebEnv>): Promise<JsonObject> {
  if (c.req.method !== "POST") return {};
  const text = await c.req.text();
  if (text === "") return {};
  checkType(c, [REST_TYPE, JSON_TYPE]);
  try {
    const body: unknown = JSON.parse(text);
    if (isObject(body)) return body;
  } catch {
    // It is refused below, as what is no object.
  }
  throw new RequestMalformedError({ message: "The body is no JSON object.", metadata: invalidAt("body") });
}

/** The fault of a request in the terms of JSON-RPC 2.0 itself, for every method; null: there is none. A2A has no batches. */
function problemOfRequest(body: unknown): string | null {
  if (Array.isArray(body)) return "A list of requests is not taken: send one request.";
  if (!isObject(body)) return "The request is no JSON object.";
  const { jsonrpc, method, id } = body;
  if (jsonrpc !== "2.0") return 'The request has no `"jsonrpc": "2.0"`.';
  if (typeof method !== "string" || method === "") return "The request names no `method`.";
  if (id !== undefined && !isId(id)) return "The `id` of the request is neither a text nor a whole number.";
  return null;
}

const isId = (id: unknown): boolean => id === null || typeof id === "string" || Number.isInteger(id);

/** Gives the id for the answer to a request: null if the request has no valid one. */
const idOf = (body: unknown): unknown => (isObject(body) && isId(body.id) ? body.id : null);

/** A request without an id is a notification: it is done, and not answered. */
const isNotification = (body: JsonObject): boolean => !Object.hasOwn(body, "id");

const invalidRequest = (id: unknown, message: string): JsonObject =>
  ({ jsonrpc: "2.0", id, error: { code: A2A_ERROR_CODE.INVALID_REQUEST, message } }) as JsonObject;
