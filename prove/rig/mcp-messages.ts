import { isObject } from "../../src/core/base/is-object";
import type { JsonObject } from "../../src/core/base/json";

/** What the MCP clients of proofs share: they are small, so that a proof sees each message. */

/** The person at a client: what they answer to a form; absent = the client cannot show any. */
export type PersonAtClient = () => JsonObject;

/** A message of a server, or an answer of it. */
export type McpMessage = JsonObject & { id?: number; method?: string };

/** A tool that refused, with the code of its error. */
export class McpRefusal extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The data of a client about itself. */
export const introduction = (person: PersonAtClient | undefined): JsonObject => ({
  protocolVersion: "2025-06-18",
  capabilities: person === undefined ? {} : { elicitation: { form: {} } },
  clientInfo: { name: "navigator prove", version: "1" },
});

/** What the person at the client answers, if the message asks; undefined = it asks nothing. */
export function answerTo({ id, method }: McpMessage, person: PersonAtClient | undefined): JsonObject | undefined {
  if (id === undefined || method !== "elicitation/create" || person === undefined) return undefined;
  return { id, result: { action: "accept", content: person() } };
}

/** The data of a tool's answer. @throws McpRefusal with the code of its error, else Error with the answer */
export function answeredData(name: string, { result, error }: JsonObject): JsonObject {
  const { structuredContent, isError, content } = (result ?? {}) as {
    structuredContent?: JsonObject;
    isError?: boolean;
    content?: { text: string }[];
  };
  const data = structuredContent?.data;
  if (!isError && !error && isObject(data)) return data;
  const message = `${name} answered ${JSON.stringify(error ?? result)}`;
  throw new McpRefusal(codeIn(content?.[0]?.text), message);
}

function codeIn(text = ""): string {
  try {
    return (JSON.parse(text) as { error: { code: string } }).error.code;
  } catch {
    return "none";
  }
}
