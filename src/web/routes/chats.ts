import { z } from "zod";
import { postChatMessage, readChat } from "../../client/chat/chat-log";
import { defined } from "../../core/base/defined";
import { checkedModel, knownAgent } from "../../project/known-parts";
import { shortModelNames } from "../../project/short-model-names";
import { requesterOf } from "../requests/callers";
import { endpoint } from "./endpoint";

const TAG = "Chats";

const chatId = z.object({
  id: z.string().meta({ example: "lamp-questions", description: "Letters, digits, - and _" }),
});

const ChatMessage = z
  .object({
    number: z.int().meta({ description: "From 1 on" }),
    workflow_id: z.string().meta({ description: "The mission that answers: its events have the text as it comes" }),
    message: z.string().nullable(),
    state: z.enum(["running", "answered", "failed"]),
    answer: z.string().optional(),
    fail: z.object({ reason: z.string(), message: z.string() }).optional(),
  })
  .meta({ id: "ChatMessage" });

const postChatMessageEndpoint = endpoint({
  method: "post",
  path: "/api/chats/{id}/messages",
  needs: ["start"],
  operation: "postChatMessage",
  summary: "Sends a message to an agent, which answers in a mission. A repeated message counts once",
  tag: TAG,
  params: chatId,
  body: z
    .strictObject({
      agent: z.string().min(1),
      message: z.string().min(1).max(200_000),
      after: z
        .int()
        .min(0)
        .default(0)
        .meta({ description: "Number of the last message of the chat; 0: this is the first" }),
      model: z.string().min(1).max(200).optional(),
    })
    .meta({ id: "PostChatMessage" }),
  answer: z.object({ number: z.int(), workflow_id: z.string() }).meta({ id: "PostedChatMessage" }),
  status: 202,
  errors: [
    "agent_not_found",
    "invalid_input",
    "still_running",
    "id_in_use",
    "invalid_id",
    "not_found",
    "payload_too_large",
  ],
  run: async ({ params: { id }, body, call }) => {
    const { client, web } = call;
    const { project } = web;
    const agent = knownAgent(project, body.agent);
    const chosen = body.model === undefined ? undefined : checkedModel(project.models, body.model);
    const { number, run } = await postChatMessage(client, {
      chat: id,
      agent: chosen === undefined ? agent : { ...agent, model: chosen },
      message: body.message,
      after: body.after,
      model: chosen ?? web.model,
      llm_registry: shortModelNames(project.models ?? {}),
      ...defined({ requested_by: requesterOf(call) }),
    });
    return { number, workflow_id: run.workflow.workflowId };
  },
});

const showChatEndpoint = endpoint({
  method: "get",
  path: "/api/chats/{id}",
  needs: ["read"],
  operation: "showChat",
  summary: "The messages of a chat and their answers",
  tag: TAG,
  params: chatId,
  query: z.object({
    from: z.coerce.number().int().min(1).default(1).meta({ description: "Number of the first message" }),
  }),
  answer: z.object({ messages: z.array(ChatMessage) }),
  errors: ["invalid_id"],
  tagged: true,
  run: async ({ params, query, call }) => ({ messages: await readChat(call.client, params.id, query.from) }),
});

/** Chats with agents in text mode. */
export const chatEndpoints = [postChatMessageEndpoint, showChatEndpoint];
