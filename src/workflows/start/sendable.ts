import type { AgentDefinition } from "../../core/agent/definition/definition";
import { parseAgent } from "../../core/agent/definition/parse-agent";
import { jsonBytes } from "../../core/base/bytes";
import { withoutUndefined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { type JsonFault, jsonFault } from "../../core/base/json/json-problem";
import { MAX_PAYLOAD_BYTES } from "../../core/base/limits";
import { NavigatorError, valueOrThrow } from "../../core/base/navigator-error";
import type { Definition } from "../../core/graph/definition/schema";
import { readTaskSetup } from "../../core/graph/task/machine/read-task-setup";
import type { TaskSetup } from "../../core/graph/task/machine/setup";
import type { Task } from "../../core/graph/task/task";

/** The checks before anything is sent to a server. */

/** The input of the start of a task on a graph. */
export interface TaskToRun {
  task: Task;
  /** From `defineGraph` or `parseDefinition`. */
  definition: Definition;
  /** Agents by name: a node whose `agent` is here runs as a child workflow. */
  agents?: { [name: string]: AgentDefinition };
  /** The model of agents that name none. */
  model: string;
  /** The principal that asks for the work. It decides none of its reviews, unless their terms allow it. */
  requested_by?: string;
}

/**
 * Refuses a value that JSON cannot represent, or would change silently, and one that is larger than a server takes. An
 * undefined field of the value itself counts as not given.
 *
 * @param what names the value in messages: `the context`
 * @param exactIntegers refuses integers beyond 2^53: JSON would change the number that the caller gave
 * @throws NavigatorError `invalid_input` with the place in `details.path`, `payload_too_large` with `details.bytes`
 */
export function checkSendable(what: string, value: unknown, { exactIntegers = false } = {}): void {
  const fault = jsonFault(isObject(value) ? withoutUndefined(value, 1) : value, { exactIntegers });
  if (fault) throw notJson(what, fault);
  checkSize(what, value);
}

/** The same for options and definitions: undefined fields count as not given, at any depth. */
export function checkOptions(what: string, value: unknown): void {
  const fault = jsonFault(value, { omitUndefined: true });
  if (fault) throw notJson(what, fault);
}

function notJson(what: string, { path, message }: JsonFault): NavigatorError {
  const place = path === "" ? what : `${path} of ${what}`;
  return new NavigatorError("invalid_input", `${place} cannot be sent: ${message}.`, { details: { path } });
}

/** @throws NavigatorError `payload_too_large` with `details.bytes` */
export function checkSize(what: string, value: unknown): void {
  const bytes = jsonBytes(value as Json);
  if (bytes <= MAX_PAYLOAD_BYTES) return;
  const limit = MAX_PAYLOAD_BYTES;
  throw new NavigatorError("payload_too_large", `${what} is ${bytes} bytes; the limit is ${limit}.`, {
    hint: "Pass a reference to large data (a path, a URL, a key) and let a tool read it.",
    details: { bytes, limit },
  });
}

/** An agent as `parseAgent` reads it, or a prompt alone. @throws NavigatorError `invalid_agent` with every mistake */
export function checkedAgent(written: unknown): AgentDefinition {
  const raw = typeof written === "string" ? { prompt: written } : written;
  checkOptions("the agent", raw ?? null);
  return valueOrThrow(parseAgent(raw));
}

/** A task with its definition and agents. @throws NavigatorError `invalid_task` with every mistake, `invalid_input` */
export function checkedTask(raw: { [part in keyof TaskToRun]?: unknown }): TaskSetup {
  const { task, ...rest } = raw;
  checkSendable("the task", task ?? null, { exactIntegers: true });
  checkOptions("the task", rest);
  // As the workflow will get it: without undefined fields.
  const setup: unknown = JSON.parse(JSON.stringify({ task, ...rest }));
  const read = readTaskSetup(setup, { now: Date.now(), knownFields: true });
  if (read.ok) return read.value;
  const message = read.fail.message.replace("The input of navigatorTask", "The task");
  throw new NavigatorError("invalid_task", message, { details: read.fail.details });
}
