import type { ExportedHistory } from "./recorded";

/**
 * How a recorded history stands in its file: one line for each event, and a payload of JSON as its value,
 * `{"json/plain": {"cents": 5}}` in place of base64, so that a reader sees what a recording says. A search attribute has its
 * type, too: `{"json/plain": "waiting", "type": "Keyword"}`.
 */

const PLAIN = "json/plain";

/** What depends on the machine and the moment, and decides nothing on replay. */
const LEFT_OUT = ["taskId", "requestId", "workerVersion", "meteringMetadata", "stackTrace"];

interface Payload {
  metadata: { encoding: string; type?: string };
  data: string;
}

/** @param history as `historyToJSON` gives it */
export function toFile({ events }: ExportedHistory): string {
  const lines = events.map((event) => JSON.stringify(shortened(event)));
  return `{"events":[\n${lines.join(",\n")}\n]}\n`;
}

/** @returns the history as `historyToJSON` gave it, byte for byte in its payloads */
export function fromFile(text: string): ExportedHistory {
  return full(JSON.parse(text)) as ExportedHistory;
}

function shortened(value: unknown): unknown {
  if (isPayload(value)) return withValue(value);
  return eachPart(value, shortened, (key, part) =>
    key === "identity" ? "worker" : LEFT_OUT.includes(key) ? undefined : part,
  );
}

function full(value: unknown): unknown {
  if (isRecord(value) && PLAIN in value) return payloadOf(JSON.stringify(value[PLAIN]), value.type);
  return eachPart(value, full, (_, part) => part);
}

/** A text that JSON writes otherwise (a number like 1.0, keys in another order) stays in base64. */
function withValue(payload: Payload): unknown {
  const value = parsed(Buffer.from(payload.data, "base64").toString());
  if (value === undefined || base64(JSON.stringify(value)) !== payload.data) return payload;
  const { type } = payload.metadata;
  return { [PLAIN]: value, ...(type === undefined ? {} : { type: Buffer.from(type, "base64").toString() }) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const PLAIN_ENCODING = base64(PLAIN);
const KEPT = ["encoding", "type"];

function payloadOf(text: string, type: unknown): Payload {
  const typed = typeof type === "string" ? { type: base64(type) } : {};
  return { metadata: { encoding: PLAIN_ENCODING, ...typed }, data: base64(text) };
}

function isPayload(value: unknown): value is Payload {
  if (!isRecord(value) || typeof value.data !== "string" || !isRecord(value.metadata)) return false;
  if (Object.keys(value).length > 2) return false;
  return value.metadata.encoding === PLAIN_ENCODING && Object.keys(value.metadata).every((key) => KEPT.includes(key));
}

function eachPart(
  value: unknown,
  change: (part: unknown) => unknown,
  choose: (key: string, part: unknown) => unknown,
): unknown {
  if (Array.isArray(value)) return value.map(change);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, choose(key, change(part))]));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
