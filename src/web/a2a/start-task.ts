import { setTimeout as delay } from "node:timers/promises";
import { WorkflowNotFoundError } from "@temporalio/client";
import { listWorkflows } from "../../client/list-workflows";
import { chatAnswer } from "../../core/agent/chat/chat-mission";
import { type AgentDefinition, agentSignature } from "../../core/agent/definition/definition";
import { defined } from "../../core/base/defined";
import { agentWorkflowId, isMission } from "../../core/base/ids";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import type { Message } from "../../core/calls/host";
import { knownAgent } from "../../project/known-parts";
import { contextIntent, differences, intentOfMemo } from "../../workflows/start/intent";
import type { WebCaller } from "../context/context";
import type { EndpointCall } from "../routes/endpoint";
import { frontContext, isProgramMode, startFrontMission } from "../routes/fronts/front-mission";
import { messageIdInUse, noTask } from "./errors";
import type { ClientMessage } from "./message-input";
import { readA2aTask } from "./read-task";
import { maySee, ownerOf, readTaskId, type TaskRef, taskIdBeginning } from "./task-id";

/**
 * Starts the mission of a message. A message that has started one already finds it.
 *
 * @throws NavigatorError `agent_not_found`, `invalid_input`, `validation_error`, `still_running` and others; A2AError for
 *   another message with the id of one that has started a mission
 */
export async function startMissionOf(call: EndpointCall, ref: TaskRef, received: ClientMessage): Promise<void> {
  const { client } = call;
  const workflowId = agentWorkflowId(ref.id, client.project);
  if (await client.has(workflowId)) return checkSameOrder(call, ref, received);
  const agent = chosenAgent(call, received.skill);
  const context = contextIn(agent, received);
  const isConversation = context === undefined && !isProgramMode(agent) && agentSignature(agent) === undefined;
  const before = isConversation ? await conversationBefore(call, ref, agent, received) : [];
  await startFrontMission(call, { id: ref.id, agent, text: received.text, before, ...(context ? { context } : {}) });
  await untilListed(call, workflowId);
}

/**
 * Checks that a message asks for what the mission of its id was started with. Of an agent that the project has no more, and of a mission
 * whose start cannot be read, this is not known.
 */
async function checkSameOrder({ client, web }: EndpointCall, ref: TaskRef, received: ClientMessage): Promise<void> {
  const { skill: name, messages } = await readA2aTask(client, ref);
  if (name === "") return;
  if (received.skill !== undefined && received.skill !== name)
    throw messageIdInUse(received.messageId, ref.id, ["skill"]);
  if (!Object.hasOwn(web.project.agents, name)) return;
  const agent = knownAgent(web.project, name);
  const given = contextIn(agent, received);
  const context = frontContext({ agent, text: received.text, ...defined({ context: given }) });
  if (context === null) {
    const [first] = messages[0]?.parts ?? [];
    if (first?.content?.$case === "text" && first.content.value !== received.text)
      throw messageIdInUse(received.messageId, ref.id, ["text"]);
    return;
  }
  const { memo } = await client.agent(ref.id).workflow.describe();
  const before = intentOfMemo(memo);
  if (before === undefined) return;
  const ofContext = Object.fromEntries(Object.entries(before).filter(([part]) => /^context(\.|$)/.test(part)));
  const differs = differences(ofContext, contextIntent(context));
  if (differs.length > 0) throw messageIdInUse(received.messageId, ref.id, differs);
}

/** @throws NavigatorError `agent_not_found`; `invalid_input` if there are several and the message names none */
function chosenAgent({ web: { project } }: EndpointCall, skill: string | undefined): AgentDefinition {
  if (skill !== undefined) return knownAgent(project, skill);
  const names = Object.keys(project.agents);
  const [only] = names;
  if (only !== undefined && names.length === 1) return knownAgent(project, only);
  throw new NavigatorError("invalid_input", "The message does not name its skill.", {
    hint: `Set metadata.skill to one of: ${names.join(", ")}`,
    details: { path: "metadata.skill", skills: names },
  });
}

/** The data of a message is the input of its agent; undefined: it has only text. @throws NavigatorError `invalid_input` */
function contextIn(agent: AgentDefinition, { text, data }: ClientMessage): JsonObject | undefined {
  if (data === undefined) return undefined;
  if (!isObject(data))
    throw new NavigatorError("invalid_input", "The data of a message must be an object: the input of the skill.", {
      details: { path: "data" },
    });
  if (text === "") return data;
  if (agent.signature === undefined) return { message: text, ...data };
  throw new NavigatorError(
    "invalid_input",
    `The message has text and data, and the skill takes one input: ${agent.signature}.`,
    {
      hint: "Send the whole input as data, or the text alone.",
      details: { path: "data" },
    },
  );
}

/** A task that a message refers to: one that its caller may see. @throws A2AError if there is none */
function referredTask(caller: WebCaller, id: string): TaskRef {
  const task = readTaskId(id);
  if (task === null || !maySee(caller, task)) throw noTask(id);
  return task;
}

/** So many messages of a context are looked at for the conversation so far. */
const MAX_LOOKED_AT = 20;

/**
 * The conversation that a message continues: that of the last answered message of the agent in its context.
 *
 * @throws NavigatorError `still_running` if a message before it is not answered yet
 */
async function conversationBefore(
  { client, caller }: EndpointCall,
  ref: TaskRef,
  agent: AgentDefinition,
  { contextId, referenceTaskIds }: ClientMessage,
): Promise<Message[]> {
  // The context is new.
  if (contextId === "") return [];
  const beginning = agentWorkflowId(taskIdBeginning(ownerOf(caller), ref.contextId), client.project);
  const query = `WorkflowId STARTS_WITH ${JSON.stringify(beginning)} AND ${ATTRIBUTE.agent} = ${JSON.stringify(agent.name)}`;
  const { workflows } = await listWorkflows(client.temporal, { query, size: MAX_LOOKED_AT });
  const named = referenceTaskIds.map((id) => referredTask(caller, id)).filter((one) => one.contextId === ref.contextId);
  const ids = named.reverse().map(({ id }) => agentWorkflowId(id, client.project));
  const candidates = [...ids, ...workflows.map(({ workflowId }) => workflowId)].filter(isMission);
  for (const id of candidates) {
    const run = client.agent(id);
    const { status, searchAttributes } = await run.workflow.describe().catch((error: unknown) => {
      throw error instanceof WorkflowNotFoundError ? noTask(id) : error;
    });
    // Messages to another agent are no part of this conversation.
    if (searchAttributes?.[ATTRIBUTE.agent]?.[0] !== agent.name) continue;
    if (status.name === "RUNNING")
      throw new NavigatorError("still_running", "A message of this context is not answered yet.", {
        hint: "Wait for its task, or cancel it.",
        details: { workflow_id: id },
      });
    const messages = await run.result().then(
      (step) => (step.fail ? [] : chatAnswer(step).messages),
      () => [],
    );
    if (messages.length > 0) return messages;
  }
  return [];
}

const LISTED_MS = 3_000;
const AGAIN_MS = 40;

/**
 * Waits until lists have the mission, some milliseconds: a client that has the answer and then lists its tasks, or continues the
 * conversation, finds it.
 */
async function untilListed({ client, web }: EndpointCall, workflowId: string): Promise<void> {
  const until = Date.now() + LISTED_MS;
  const query = `WorkflowId = ${JSON.stringify(workflowId)}`;
  while ((await listWorkflows(client.temporal, { query, size: 1 })).workflows.length === 0) {
    if (Date.now() > until) return web.log.warn("mission_not_listed", { workflow_id: workflowId });
    await delay(AGAIN_MS);
  }
}
