import type { Message, Part } from "@a2a-js/sdk";
import { Role } from "@a2a-js/sdk";
import type { Json } from "../../core/base/json";

/** Parts and messages of A2A, with all of their fields. */

export const TEXT_TYPE = "text/plain";
export const JSON_TYPE = "application/json";

/** Builds the part of a message that has a text. */
export const textPart = (text: string): Part => ({
  content: { $case: "text", value: text },
  mediaType: TEXT_TYPE,
  filename: "",
  metadata: undefined,
});

/** Builds the part of a message that has data. */
export const dataPart = (data: Json): Part => ({
  content: { $case: "data", value: data },
  mediaType: JSON_TYPE,
  filename: "",
  metadata: undefined,
});

/** A value as the part of an artifact: a text as text, all else as data. */
export const valuePart = (value: Json): Part => (typeof value === "string" ? textPart(value) : dataPart(value));

/** Where a message stands. */
export interface MessagePlace {
  id: string;
  taskId: string;
  contextId: string;
}

/** Builds a message of A2A, with its place in a task. */
export const messageOf = (by: "agent" | "user", { id, taskId, contextId }: MessagePlace, parts: Part[]): Message => ({
  messageId: id,
  taskId,
  contextId,
  role: by === "agent" ? Role.ROLE_AGENT : Role.ROLE_USER,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});
