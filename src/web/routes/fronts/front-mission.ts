import type { AgentHandle } from "../../../client/handles";
import { chatMission } from "../../../core/agent/chat/chat-mission";
import { type AgentDefinition, agentSignature } from "../../../core/agent/definition/definition";
import { defined } from "../../../core/base/defined";
import { isObject } from "../../../core/base/is-object";
import type { JsonObject } from "../../../core/base/json";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { Message } from "../../../core/calls/host";
import { shortModelNames } from "../../../project/short-model-names";
import { actorOf, requesterOf } from "../../requests/callers";
import type { EndpointCall } from "../endpoint";

/** What a chat front wants of an agent. */
export interface FrontMission {
  /** Of the mission. The same id again finds the mission that is there, whatever it was started with. */
  id: string;
  agent: AgentDefinition;
  /** The person's message. */
  text: string;
  /** The conversation before it. */
  before: readonly Message[];
  /** The input of the agent, if the front gives it. */
  context?: JsonObject;
}

/** Under which name somebody answers who gives none: fronts know no names of people. The server knows the user of its machine. */
export const frontName = (call: Pick<EndpointCall, "web" | "caller">, given: string | undefined): string | undefined =>
  given ?? (call.caller.isLocal ? actorOf(call) : undefined);

/** Whether the model answers with programs. */
export const isProgramMode = ({ output }: AgentDefinition): boolean => output !== "text";

/**
 * Starts the mission that answers a person, or finds it. An agent in text mode without inputs has a conversation; every other agent does
 * a mission, with the input that the front gives, or else the person's message: as its only text, as JSON, or as `message` for an agent
 * that names no inputs.
 *
 * @throws NavigatorError `invalid_input` if the message is no input for the agent; `invalid_id`, `validation_error` and others
 */
export function startFrontMission(
  call: Pick<EndpointCall, "client" | "web" | "caller">,
  given: FrontMission,
): Promise<AgentHandle> {
  const { id, agent } = given;
  const { client, web } = call;
  const context = frontContext(given);
  return client.startAgent({
    id,
    join: true,
    untrusted_context: true,
    ...(context === null ? chatMission(agent, given.text, given.before) : { agent, context }),
    model: web.model,
    llm_registry: shortModelNames(web.project.models ?? {}),
    ...defined({ requested_by: requesterOf(call) }),
  });
}

/** The input of a mission; null: it is a conversation. @throws NavigatorError `invalid_input` */
export function frontContext({
  agent,
  text,
  context,
}: Pick<FrontMission, "agent" | "text" | "context">): JsonObject | null {
  if (context !== undefined) return context;
  const fields = agentSignature(agent)?.parameters ?? [];
  if (fields.length === 0) return isProgramMode(agent) ? { message: text } : null;
  const [only] = fields;
  if (fields.length === 1 && only?.type.kind === "primitive" && only.type.name === "string")
    return { [only.name]: text };
  const read = jsonIn(text);
  if (isObject(read)) return read;
  throw new NavigatorError("invalid_input", `The message is no input for the agent: ${agent.signature}.`, {
    hint: "Send the input as `context`, or write it as a JSON object.",
    details: { path: "context" },
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
