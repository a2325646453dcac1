import { randomUUID } from "node:crypto";
import { cutText } from "../../core/base/whole-characters";
import { digest } from "../../workflows/start/intent";
import type { Extra } from "./request";

/** For clients without sessions: over stdio, one process serves one client. */
const PROCESS = randomUUID();

/**
 * The id of a call, the same when a client sends the same request again: its session, the JSON-RPC id and the arguments. A
 * client that gives one JSON-RPC id to two different calls has two ids here.
 */
export function requestIdOf({ sessionId = PROCESS, requestId }: Pick<Extra, "sessionId" | "requestId">, args: unknown) {
  return `mcp/${sessionId}/${cutText(String(requestId), 100)}/${digest(args)}`;
}
