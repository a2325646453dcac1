import { type Message, Role, type SendMessageRequest } from "@a2a-js/sdk";
import { ContentTypeNotSupportedError } from "@a2a-js/sdk/errors";
import type { Json } from "../../core/base/json";
import { TOO_DEEP, tooDeepAt } from "../../core/base/json/json-problem";
import { invalidAt, malformedField } from "./errors";
import { JSON_TYPE, TEXT_TYPE } from "./parts";

/** A message of a client: all that it may have here. */
export interface ClientMessage {
  messageId: string;
  /** "": none was given. */
  taskId: string;
  contextId: string;
  /** The skill that it is for; undefined: it names none. */
  skill: string | undefined;
  /** All its texts; "": it has none. */
  text: string;
  /** Its data; undefined: it has none. */
  data: Json | undefined;
  referenceTaskIds: readonly string[];
}

const MAX_MESSAGE_ID = 1_000;

/** Media types that a text, and data, may name. */
const TEXT_TYPES = [TEXT_TYPE, "text/markdown", "text/x-markdown"];
const OUTPUT_TYPES = [TEXT_TYPE, JSON_TYPE];

/** @throws A2AError for a message that cannot be understood */
export function readClientMessage(request: SendMessageRequest): ClientMessage {
  const { message, metadata, configuration, tenant } = request;
  if (message === undefined) throw malformedField("message", "is missing");
  const { messageId, role, parts } = message;
  if (messageId === "") throw malformedField("message.messageId", "is missing");
  if (messageId.length > MAX_MESSAGE_ID) throw malformedField("message.messageId", `is longer than ${MAX_MESSAGE_ID}`);
  if (role !== Role.ROLE_USER) throw malformedField("message.role", "must be ROLE_USER");
  if (parts.length === 0) throw malformedField("message.parts", "has no part");
  const accepted = configuration?.acceptedOutputModes ?? [];
  if (accepted.length > 0 && !accepted.some(isOutput))
    throw unsupported(
      "configuration",
      `None of the output modes is supported: ${accepted.join(", ")}. Supported: ${OUTPUT_TYPES.join(", ")}.`,
    );
  const contents = parts.map(contentOf);
  const texts = contents.flatMap(({ text }) => (text === undefined ? [] : [text]));
  const data = contents.flatMap((part) => (part.data === undefined ? [] : [part.data]));
  if (data.length > 1) throw malformedField("message.parts", "has several data parts: send one object");
  const deep = data[0] === undefined ? undefined : tooDeepAt(data[0]);
  if (deep !== undefined) throw malformedField("message.parts", `cannot be read: ${TOO_DEEP}, at ${deep}`);
  return {
    messageId,
    taskId: message.taskId,
    contextId: message.contextId,
    skill: skillOf(message.metadata?.skill ?? metadata?.skill ?? (tenant === "" ? undefined : tenant)),
    text: texts.join("\n"),
    data: data[0],
    referenceTaskIds: message.referenceTaskIds,
  };
}

const isOutput = (mode: string): boolean =>
  ["*/*", "text/*", "text", "application/*", ...OUTPUT_TYPES].includes(mode.split(";")[0]?.trim().toLowerCase() ?? "");

function skillOf(skill: unknown): string | undefined {
  if (skill === undefined || typeof skill === "string") return skill;
  throw malformedField("message.metadata.skill", "must be the id of a skill");
}

function contentOf({ content, mediaType }: Message["parts"][number], at: number): { text?: string; data?: Json } {
  const where = `message.parts[${at}]`;
  const type = mediaType.split(";")[0]?.trim().toLowerCase() ?? "";
  switch (content?.$case) {
    case "text":
      if (type !== "" && !TEXT_TYPES.includes(type)) throw unsupported(where, `${where} is a text of type "${type}".`);
      return { text: content.value };
    case "data":
      if (type !== "" && type !== JSON_TYPE) throw unsupported(where, `${where} is data of type "${type}".`);
      return { data: content.value as Json };
    case undefined:
      throw malformedField(where, "has neither text nor data");
    default:
      throw unsupported(
        where,
        `${where} is a file. Send text or data; a tool of the agent may read a file by its address.`,
      );
  }
}

const unsupported = (path: string, message: string) =>
  new ContentTypeNotSupportedError({ message, metadata: invalidAt(path) });
