import { createHash } from "node:crypto";
import type { Context, Hono } from "hono";
import { ask } from "../../../client/errors";
import { findReview } from "../../../client/find-review";
import { listWorkflows } from "../../../client/list-workflows";
import { agentWorkflowId, missionIdOf } from "../../../core/base/ids";
import type { JsonObject } from "../../../core/base/json";
import { isAbsent, NavigatorError } from "../../../core/base/navigator-error";
import { knownAgent } from "../../../project/known-parts";
import type { WebContext, WebEnv } from "../../context/context";
import { frontAnswer, readSealedReviewId } from "../../encodings/interrupt";
import {
  ChatRequest,
  type ChatTurn,
  chatTurn,
  UI_STREAM_HEADERS,
  UiMessageEncoding,
} from "../../encodings/ui-messages";
import type { ConversationSources } from "../../events/conversation-feed";
import { type EndpointCall, readBody } from "../endpoint";
import { decideForCaller } from "../inbox/decisions";
import { answerConversation } from "./conversation-answer";
import { frontName, isProgramMode, startFrontMission } from "./front-mission";

/** A reader that lost the end of an answer reconnects within this time, in ms. */
const ENDED_MS = 5 * 60_000;
/** Chats whose last mission is remembered, so that it is found before the server lists it. */
const MAX_REMEMBERED = 5_000;

/**
 * The UI message stream of the AI SDK (web reference, section 9): `POST /api/chat/{agent}` takes what `useChat` sends and answers with
 * the message of the agent, `GET /api/chat/{agent}/{id}/stream` continues it.
 */
export function uiChatRoutes(app: Hono<WebEnv>, web: WebContext, sources: ConversationSources): void {
  const latest = new Map<string, string>();
  const remember = (chat: string, workflowId: string) => {
    latest.delete(chat);
    latest.set(chat, workflowId);
    const [oldest] = latest.keys();
    if (latest.size > MAX_REMEMBERED && oldest !== undefined) latest.delete(oldest);
  };

  app.post("/api/chat/:agent", async (c) => {
    const name = c.req.param("agent");
    const agent = knownAgent(web.project, name);
    const request = await readBody(c, ChatRequest);
    const call: EndpointCall = { ...(await web.backend()), caller: c.get("caller"), web, request: c };
    const turn = chatTurn(request);
    const approved = await approve(call, turn.approvals);
    const workflowId = approved?.workflowId ?? (await start(call, { name, request, turn }));
    remember(chatPrefix(name, request.id), workflowId);
    const { settled = new Set<string>() } = approved ?? {};
    const parts = approved === null ? [] : turn.parts;
    return answer(c, sources, call, { workflowId, programs: isProgramMode(agent), settled, parts });
  });

  app.get("/api/chat/:agent/:id/stream", async (c) => {
    const name = c.req.param("agent");
    const agent = knownAgent(web.project, name);
    const call: EndpointCall = { ...(await web.backend()), caller: c.get("caller"), web, request: c };
    const prefix = chatPrefix(name, c.req.param("id"));
    const workflowId = latest.get(prefix) ?? (await newest(call, prefix));
    if (workflowId === undefined || !(await isFresh(call, workflowId))) return c.body(null, 204);
    return answer(c, sources, call, { workflowId, programs: isProgramMode(agent), settled: new Set(), parts: [] });
  });
}

function answer(
  c: Context<WebEnv>,
  sources: ConversationSources,
  { client, web }: EndpointCall,
  { workflowId, programs, settled, parts }: Followed,
): Response {
  for (const [header, value] of Object.entries(UI_STREAM_HEADERS)) c.header(header, value);
  const encoding = new UiMessageEncoding({ workflowId, programs }, parts);
  const { namespace } = client.temporal.options;
  return answerConversation(
    c,
    { sources, log: web.log },
    { namespace, workflowId },
    {
      begin: () => encoding.begin(),
      take: (item) => encoding.take(item),
      waits: (conversation) => {
        const open = conversation.openReviews.some(({ review }) => !settled.has(review.id));
        return (open || conversation.parked.length > 0) && conversation.isIdle ? encoding.interrupted() : null;
      },
      failed: (code, message) => encoding.failed(code, message),
      last: "[DONE]",
    },
  );
}

/** The mission whose message is sent. */
interface Followed {
  workflowId: string;
  programs: boolean;
  /** Reviews that this request has decided. */
  settled: ReadonlySet<string>;
  /** What the front has of the message, and keeps. */
  parts: ChatTurn["parts"];
}

/** The beginning of the ids of a chat's missions. Fronts choose ids of chats and messages as they like. */
const chatPrefix = (agent: string, chat: string): string => `ui-${idPart(agent)}-${idPart(chat)}-`;

const idPart = (text: string): string =>
  /^[A-Za-z0-9_]{1,48}$/.test(text) ? text : createHash("sha256").update(text).digest("hex").slice(0, 24);

/** The mission of a message. To regenerate an answer is another mission. */
async function start(
  call: EndpointCall,
  { name, request, turn }: { name: string; request: ChatRequest; turn: ChatTurn },
): Promise<string> {
  const first = `${chatPrefix(name, request.id)}${idPart(turn.message.id)}`;
  const context = request.context as JsonObject | undefined;
  const run = await startFrontMission(call, {
    id: request.trigger === "regenerate-message" ? await nextFree(call, first) : first,
    agent: knownAgent(call.web.project, name),
    text: turn.message.text,
    before: turn.before,
    ...(context === undefined ? {} : { context }),
  });
  return run.workflow.workflowId;
}

/** More answers to one message than this are too many. */
const MAX_ANSWERS = 50;

async function nextFree({ client }: EndpointCall, first: string): Promise<string> {
  for (let number = 2; number <= MAX_ANSWERS; number += 1) {
    const id = `${first}-${number}`;
    if (!(await client.has(agentWorkflowId(id, client.project)))) return id;
  }
  throw new NavigatorError("invalid_input", `The message has ${MAX_ANSWERS} answers. Send another message.`, {
    details: { path: "messages" },
  });
}

/** Sends the decisions that the person made in the message; null: none. The reviews are of one mission, which continues. */
async function approve(
  call: EndpointCall,
  approvals: ChatTurn["approvals"],
): Promise<{ workflowId: string; settled: Set<string> } | null> {
  const settled = new Set<string>();
  let workflowId: string | undefined;
  for (const { id, approved, reason } of approvals) {
    const { review: given, seal } = readSealedReviewId(id);
    const { workflow_id, review } = await findReview(call.client, given);
    workflowId = missionIdOf(workflow_id);
    if (review.status === "open") {
      const { by, ...answered } = frontAnswer({ approved, reason }, review);
      const { review: after } = await decideForCaller(call, review.id, answered as never, {
        by: frontName(call, by),
        seal,
      });
      if (after.status === "open") continue;
    }
    settled.add(review.id);
  }
  return workflowId === undefined ? null : { workflowId, settled };
}

async function newest({ client }: EndpointCall, prefix: string): Promise<string | undefined> {
  const begin = agentWorkflowId(prefix, client.project);
  const query = `WorkflowId STARTS_WITH ${JSON.stringify(begin)}`;
  const { workflows } = await listWorkflows(client.temporal, { query, size: 20 });
  // Agents that it runs as tools have ids that begin like its own.
  return workflows.find(({ workflowId }) => missionIdOf(workflowId) === workflowId)?.workflowId;
}

async function isFresh({ client }: EndpointCall, workflowId: string): Promise<boolean> {
  try {
    const { status, closeTime } = await ask(() => client.temporal.workflow.getHandle(workflowId).describe());
    return status.name === "RUNNING" || Date.now() - (closeTime?.getTime() ?? 0) < ENDED_MS;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}
