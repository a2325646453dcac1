import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Implementation,
  isCallToolResult,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { delay } from "../../node/delay";

/**
 * Calls that a server answers with a task (protocol 2026-07-28, Tasks extension): the call ends when the task ends. The SDK's client takes
 * no tasks and refuses to ask for them, so this stands between the client and its transport.
 */

const EXTENSION = "io.modelcontextprotocol/tasks";
/** The capability of a client that takes tasks. */
export const TAKES_TASKS = { extensions: { [EXTENSION]: {} } };

/** Between two looks at a task, whatever the server wishes. */
const [SHORTEST_PAUSE_MS, USUAL_PAUSE_MS, LONGEST_PAUSE_MS] = [100, 1_000, 5_000];
/** For one request about a task. */
const ASK_MS = 10_000;
const CANCEL_MS = 2_000;

interface CallTaskOptions {
  signal: AbortSignal;
  /** Milliseconds since 1970 at which the call has to be over. */
  until: number;
  onProgress(): void;
}

/** Makes calls to an MCP server that may answer with a task, and waits for the tasks. */
export class CallTasks {
  private readonly waiting = new Map<string, (answer: JSONRPCMessage | undefined) => void>();
  private last = 0;
  private closed = false;

  /** @param transport of a client that is connected */
  constructor(
    private readonly transport: Transport,
    private readonly about: { version: string; client: Implementation },
  ) {
    const deliver = transport.onmessage;
    transport.onmessage = (message, extra) => {
      const answered = "id" in message && !("method" in message) ? this.waiting.get(String(message.id)) : undefined;
      if (answered !== undefined) return answered(message);
      deliver?.(withoutTask(message), extra);
    };
  }

  /** Nobody answers any more. */
  close(): void {
    this.closed = true;
    for (const answered of this.waiting.values()) answered(undefined);
  }

  /**
   * The result of a call: of its task, if the server answered with one. A task that is not over in time, or whose call
   * is cancelled, is cancelled.
   *
   * @throws SdkError `CONNECTION_CLOSED` when the end of the task is not known, `REQUEST_TIMEOUT`; ProtocolError for a
   *   task without a result
   */
  async settled(result: CallToolResult, options: CallTaskOptions): Promise<CallToolResult> {
    let task = result._meta?.[EXTENSION] as JsonObject | undefined;
    if (task === undefined) return result;
    const { taskId } = task;
    if (typeof taskId !== "string") throw notOfThisKind();
    try {
      for (;;) {
        const over = resultOf(task);
        if (over !== undefined) return over;
        const left_ms = options.until - Date.now();
        if (left_ms <= 0) throw new SdkError(SdkErrorCode.RequestTimeout, "Request timed out: its task is not over");
        await delay(Math.min(pauseOf(task), left_ms), options.signal);
        options.onProgress();
        task = await this.look(task, taskId);
      }
    } catch (error) {
      if (!(error instanceof ProtocolError)) void this.ask("tasks/cancel", taskId, CANCEL_MS).catch(() => {});
      throw error;
    }
  }

  /** The task as it is now; as it was, when there is no answer: another look follows. */
  private async look(task: JsonObject, taskId: string): Promise<JsonObject> {
    try {
      return await this.ask("tasks/get", taskId, ASK_MS);
    } catch (error) {
      // The server received the call itself: no error may deny it.
      if (this.closed) throw lost("the connection was closed");
      if (error instanceof ProtocolError) throw lost(error.message);
      return task;
    }
  }

  private async ask(method: "tasks/get" | "tasks/cancel", taskId: string, limit_ms: number): Promise<JsonObject> {
    const id = `navigator-task-${++this.last}`;
    const _meta = {
      [PROTOCOL_VERSION_META_KEY]: this.about.version,
      [CLIENT_INFO_META_KEY]: this.about.client,
      [CLIENT_CAPABILITIES_META_KEY]: TAKES_TASKS,
    };
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), limit_ms);
    try {
      const answer = await new Promise<JSONRPCMessage | undefined>((resolve, reject) => {
        this.waiting.set(id, resolve);
        limit.signal.addEventListener("abort", () => resolve(undefined));
        const message = { jsonrpc: "2.0" as const, id, method, params: { taskId, _meta } };
        this.transport.send(message, { requestSignal: limit.signal }).catch(reject);
      });
      if (answer !== undefined && "error" in answer) throw new ProtocolError(answer.error.code, answer.error.message);
      if (answer === undefined || !("result" in answer)) throw lost(`it does not answer ${method}`);
      return answer.result as JsonObject;
    } finally {
      clearTimeout(timer);
      this.waiting.delete(id);
    }
  }
}

/** The SDK's client takes a result without content for its task. */
function withoutTask<M extends JSONRPCMessage>(message: M): M {
  if (!("result" in message) || message.result.resultType !== "task") return message;
  const result = { resultType: "complete", content: [], _meta: { [EXTENSION]: message.result } };
  return { ...message, result };
}

/** undefined: it is not over. @throws ProtocolError for a task that ended without a result, or that waits for answers */
function resultOf({ status, result, error, statusMessage }: JsonObject): CallToolResult | undefined {
  const why = typeof statusMessage === "string" ? `: ${statusMessage}` : "";
  switch (status) {
    case "working":
      return undefined;
    case "completed":
      if (!isCallToolResult(result)) throw notOfThisKind();
      return result;
    case "input_required":
      throw new SdkError(SdkErrorCode.CapabilityNotSupported, "its task asks for input");
    case "cancelled":
      throw new ProtocolError(ProtocolErrorCode.InternalError, `the server cancelled its task${why}`);
    case "failed": {
      const { message } = isObject(error as Json) ? (error as JsonObject) : {};
      const text = typeof message === "string" ? `: ${message}` : why;
      throw new ProtocolError(ProtocolErrorCode.InternalError, `its task failed${text}`);
    }
    default:
      throw notOfThisKind();
  }
}

function pauseOf({ pollIntervalMs }: JsonObject): number {
  const wished = typeof pollIntervalMs === "number" ? pollIntervalMs : USUAL_PAUSE_MS;
  return Math.max(SHORTEST_PAUSE_MS, Math.min(wished, LONGEST_PAUSE_MS));
}

const lost = (problem: string) => new SdkError(SdkErrorCode.ConnectionClosed, `its task was lost: ${problem}`);
const notOfThisKind = () => new SdkError(SdkErrorCode.InvalidResult, "its task has no form that the protocol knows");
