import { A2A_ERROR_CODE } from "@a2a-js/sdk/errors";
import { isObject } from "../../core/base/is-object";
import type { JsonObject } from "../../core/base/json";

/** What is wrong with a request of JSON-RPC 2.0 itself, whatever it asks for; null: nothing. A2A has no batches. */
export function problemOfRequest(body: unknown): string | null {
  if (Array.isArray(body)) return "A list of requests is not taken: send one request.";
  if (!isObject(body)) return "The request is no JSON object.";
  const { jsonrpc, method, id } = body;
  if (jsonrpc !== "2.0") return 'The request has no `"jsonrpc": "2.0"`.';
  if (typeof method !== "string" || method === "") return "The request names no `method`.";
  if (id !== undefined && !isId(id)) return "The `id` of the request is neither a text nor a whole number.";
  return null;
}

const isId = (id: unknown): boolean => id === null || typeof id === "string" || Number.isInteger(id);

/** The id by which a request is answered: null where it cannot be told. */
export const idOf = (body: unknown): unknown => (isObject(body) && isId(body.id) ? body.id : null);

/** A request without an id is a notification: it is done, and not answered. */
export const isNotification = (body: JsonObject): boolean => !Object.hasOwn(body, "id");

export const invalidRequest = (id: unknown, message: string): JsonObject =>
  ({ jsonrpc: "2.0", id, error: { code: A2A_ERROR_CODE.INVALID_REQUEST, message } }) as JsonObject;
