import { z } from "zod";
import type { AgentDefinition } from "../../../agent/definition/definition";
import { readAgent } from "../../../agent/definition/read-run-input";
import { defined } from "../../../base/defined";
import { failed, ok, type Result } from "../../../base/failure";
import { readOnce } from "../../../base/input/same-input";
import {
  count,
  formatFields,
  type InputMistake,
  type InputOrigin,
  like,
  mistakesOf,
  shownKind,
  text,
  workflowInput,
} from "../../../base/input/workflow-input";
import { isObject } from "../../../base/is-object";
import type { JsonObject } from "../../../base/json";
import { jsonFault } from "../../../base/json/json-problem";
import { parseDefinition } from "../../definition/parse";
import type { Definition } from "../../definition/schema";
import type { Task } from "../task";
import { parseTask } from "../task-input";
import type { TaskSetup } from "./setup";

/** Where a setup comes from. */
export interface SetupOrigin extends InputOrigin {
  /** The id that the workflow gives its task; undefined = none. */
  id?: string | undefined;
  /** Ms since 1970. */
  now: number;
}

/**
 * Reads the setup of a task. Whatever is left out of the task has its default; its id is the workflow's, its issue has the same id,
 * and its workflow is the definition's. Without a definition it waits for one.
 */
export const readTaskSetup = workflowInput(
  "navigatorTask",
  "task and definition",
  () => ({
    fields: {
      ...formatFields(),
      task: z.unknown().optional(),
      definition: z.unknown().optional(),
      version: count().optional(),
      agents: z.unknown().optional(),
      model: z.string("must be a model's name").optional(),
      drive: z.enum(["agent", "external"], "must be agent or external").optional(),
      order: z.number("must be a number").optional(),
      depth: count().optional(),
      outputs: like({}),
      requested_by: text().optional(),
    },
    internal: { effects: like({ mission: "", lane: "" }), retry: like({ of: "" }) },
    continuedFields: {
      carried: like({
        ...{ reviews: [], refused_signals: 0, book: { syncs: [], moves: 0, children: [], rounds: {} } },
        ...{ journals: {}, attempts: {}, "agent?": "", "owed?": [], "used?": { own: {} } },
        ...{ effects: { effects: { rows: [] }, lent: [] }, "chain?": { seq: 0, head: "", at: 0 } },
      }),
    },
  }),
  (raw, take, { id, now, knownFields }: SetupOrigin, mistakes) => {
    const read = raw.definition === undefined ? ok(undefined) : readDefinition(raw.definition);
    const definition = take("definition", read);
    // A wrong definition is named for itself.
    const workflow = definition?.id ?? (read.ok ? undefined : "unknown");
    const task = take("task", readWholeTask(raw.task ?? {}, definition, { id, now, workflow }));
    const agents = readAgents(raw.agents ?? {}, knownFields);
    mistakes.push(...agents.issues);
    return (): TaskSetup => {
      const { definition: _, model = "", ...rest } = raw as unknown as TaskSetup;
      return { ...rest, model, task, agents: agents.value, ...defined({ definition }) };
    };
  },
);

const readDefinition = readOnce((raw): Result<Definition> => {
  const read = parseDefinition(raw, undefined, undefined, { isStored: true });
  return read.ok ? ok(read.value.definition) : read;
});

/** A definition that is sent to a workflow, as `parseDefinition` gives it. Reason: `invalid_workflow`. */
export function readWholeDefinition(raw: unknown): Result<Definition> {
  const fault = jsonFault(raw ?? null);
  return fault ? failed("invalid_workflow", `The definition cannot be taken: ${fault.message}.`) : readDefinition(raw);
}

/** Whether a setup that is sent to a running task is complete and right; reason `invalid_task`. */
export function checkWholeSetup(raw: unknown, now: number): Result<unknown> {
  const read = readTaskSetup(raw, { now, knownFields: false });
  if (!read.ok) return { ok: false, fail: { ...read.fail, reason: "invalid_task" } };
  const { task } = read.value;
  const { task: given, agents } = raw as { task: object; agents: unknown };
  const whole = task === given && isObject(agents);
  return whole
    ? ok(null)
    : failed("invalid_task", `Task "${task.id}" is not complete: the service that loads tasks completes it.`);
}

const readAgentOnce = readOnce((asked) => {
  const [raw, knownFields] = asked as [unknown, boolean];
  return readAgent(raw, knownFields);
});

function readAgents(raw: unknown, knownFields: boolean) {
  const value: { [name: string]: AgentDefinition } = {};
  if (!isObject(raw))
    return {
      value,
      issues: [{ path: "agents", message: `must be an object of agents by name, got ${shownKind(raw)}` }],
    };
  const issues: InputMistake[] = [];
  const entries = Object.entries(raw).flatMap(([name, one]): [string, AgentDefinition][] => {
    const agent = readAgentOnce([one, knownFields]);
    issues.push(...mistakesOf(`agents.${name}`, agent));
    return agent.ok ? [[name, agent.value]] : [];
  });
  return { value: Object.fromEntries(entries), issues };
}

/** A task that is whole stays as it is, with all that it waits for. */
function readWholeTask(
  raw: unknown,
  definition: Definition | undefined,
  { id, now, workflow }: Pick<SetupOrigin, "id" | "now"> & { workflow: string | undefined },
): Result<Task> {
  if (!isObject(raw)) return parseTask(raw, definition, now);
  const named = raw.id ?? id;
  const given: JsonObject = {
    ...defined({ id: named, issueId: named, workflowType: workflow }),
    ...raw,
  };
  const read = parseTask(given, definition, now);
  if (!read.ok) return read;
  return WHOLE.every((field) => raw[field] !== undefined) ? ok(raw as unknown as Task) : read;
}

const WHOLE = [
  "id",
  "issueId",
  "workflowType",
  "currentStep",
  "priority",
  "status",
  "retryCount",
  "context",
  "stepRetries",
  "createdAt",
  "updatedAt",
  "history",
] as const;
