import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";

/**
 * The result of a call for a program: the structured content; else its text, parsed if the tool declares its output;
 * else its parts. Images, audio and binary files are described by type and size, because they must not go into a
 * history.
 *
 * @throws Error with the server's message if the tool failed
 */
export function resultOf(result: CallToolResult, declared: boolean): Json {
  const content = result.content ?? [];
  if (result.isError) throw new Error(texts(content) || "the tool failed and gave no reason");
  if (result.structuredContent !== undefined) return slim(result.structuredContent as Json);
  if (content.length === 0) return null;
  if (!content.every((part) => part.type === "text")) return content.map(partOf);
  const text = texts(content);
  return declared ? parsed(text) : text;
}

const texts = (content: ContentBlock[]): string =>
  content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text; // it declared JSON and sent something else: the text is better than nothing
  }
}

function partOf(part: ContentBlock): JsonObject {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "audio":
      return { type: part.type, mimeType: part.mimeType, bytes: bytesOf(part.data) };
    case "resource_link":
      return told({
        type: "resource_link",
        uri: part.uri,
        name: part.name,
        mimeType: part.mimeType,
        description: part.description,
        bytes: part.size,
      });
    case "resource": {
      const { resource } = part;
      const held = "text" in resource ? { text: resource.text } : { bytes: bytesOf(resource.blob) };
      return told({ type: "resource", uri: resource.uri, mimeType: resource.mimeType, ...held });
    }
  }
}

/** Some servers repeat their parts in the structured content, pictures included. */
function slim(value: Json): Json {
  if (Array.isArray(value)) return value.map(slim);
  if (!isObject(value)) return value;
  const held = ["image", "audio"].includes(value.type as string) ? "data" : "uri" in value ? "blob" : undefined;
  const entries = Object.entries(value).map(([key, item]): [string, Json] =>
    key === held && typeof item === "string" ? ["bytes", bytesOf(item)] : [key, slim(item)],
  );
  return Object.fromEntries(entries);
}

const bytesOf = (base64: string): number => Buffer.byteLength(base64, "base64");

const told = (fields: { [name: string]: Json | undefined }): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter((entry): entry is [string, Json] => entry[1] !== undefined));
