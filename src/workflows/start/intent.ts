import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { canonical } from "../../core/base/canonical";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import type { AgentRunInput } from "../agent-run-input";
import type { NavigatorTaskInput } from "../navigator-task-input";
import type { PlanRunInput } from "../plan-run-input";

/**
 * A digest of each part of a start. It stands in the workflow's memo, so that a second start with the same id can be
 * compared with the first, without a worker and without reading a history.
 */
export interface Intent {
  [part: string]: string;
}

/** The field of the memo. */
export const INTENT_MEMO = "intent";

/** A part with more fields than this has one digest. */
const MAX_FIELDS = 20;

/** The digests of all parts; of the fields of those parts whose differences people want to know. */
export function intentOf(parts: { [part: string]: unknown }, byField: readonly string[] = []): Intent {
  return Object.fromEntries(
    Object.entries(parts).flatMap(([part, value]): [string, string][] => {
      if (value === undefined) return [];
      const fields = byField.includes(part) && isObject(value) ? Object.entries(value) : [];
      if (fields.length === 0 || fields.length > MAX_FIELDS) return [[part, digest(value)]];
      return fields.filter(([, item]) => item !== undefined).map(([key, item]) => [`${part}.${key}`, digest(item)]);
    }),
  );
}

/** The parts that differ, in the order of their names. */
export function differences(one: Intent, other: Intent): string[] {
  const parts = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...parts].filter((part) => one[part] !== other[part]).sort();
}

/** The intent that a workflow was started with; undefined for one that another client has started. */
export function intentOfMemo(memo: unknown): Intent | undefined {
  const intent = isObject(memo) ? (memo as JsonObject)[INTENT_MEMO] : undefined;
  return isObject(intent) ? (intent as unknown as Intent) : undefined;
}

/** Which tools there are is asked for; how the worker of the day describes them is not. */
const withToolNames = (agent: AgentDefinition) => ({
  ...agent,
  tools: agent.tools.map((tool) => (typeof tool === "string" ? tool : tool.name)),
});

/** The intent of a run: its agent, context, journal, model and options. */
export function runIntent({
  agent,
  context,
  journal,
  model,
  on_waiting,
  format: _,
  flags: ___,
  // Two people may ask for the same.
  requested_by: __,
  ...options
}: AgentRunInput): Intent {
  return intentOf({ agent: withToolNames(agent), context, journal, model, on_waiting, options }, [
    "context",
    "options",
  ]);
}

/** The intent of a run that has only a context. */
export const contextIntent = (context: JsonObject): Intent => intentOf({ context }, ["context"]);

/** The intent of a task: it is the same whenever it was made. */
export function taskIntent({ task, definition, agents, model }: NavigatorTaskInput): Intent {
  const { createdAt: _, updatedAt: __, ...rest } = task;
  const named = Object.fromEntries(Object.entries(agents).map(([name, agent]) => [name, withToolNames(agent)]));
  return intentOf({ task: rest, definition, agents: named, model }, ["task", "agents"]);
}

/** The intent of a plan. */
export function planIntent({ plan, mission, executor, options }: PlanRunInput): Intent {
  return intentOf({ plan, mission, executor, options }, ["options"]);
}

/** @param what the kind of work: `run` */
export function idInUse(what: string, id: string, differing: string[]): NavigatorError {
  const list = differing.slice(0, 10).join(", ");
  return new NavigatorError(
    "id_in_use",
    `The id "${id}" belongs to a ${what} that was started with something else. What differs: ${list}.`,
    {
      hint: `Use another id to start another ${what}. To join this one as it is: --join, in code \`join: true\`.`,
      details: { id, differs: differing },
    },
  );
}

/** 16 hex digits that are equal for equal JSON, whatever the order of its fields. */
export const digest = (value: unknown): string =>
  bytesToHex(sha256(utf8ToBytes(canonical(JSON.parse(JSON.stringify(value)) as Json)))).slice(0, 16);
