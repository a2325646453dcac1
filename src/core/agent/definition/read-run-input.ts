import { z } from "zod";
import { failed, ok, type Result } from "../../base/failure";
import {
  fieldMistakes,
  formatFields,
  type InputMistake,
  invalidWorkflowInput,
  mistakesOf,
  readableInput,
  shownKind,
} from "../../base/input/wrong-input";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { defaultJournal } from "../../journal/given-journal";
import type { AgentInput } from "./agent-input";
import type { AgentDefinition } from "./definition";
import { parseAgent } from "./parse-agent";
import { RunOptions } from "./run-options";

/** The fields of a run's input, those of workflows included. Agent, context and journal have readers of their own. */
const RunInputFields = onFirstUse(() => {
  const text = z.string("must be a text").min(1, "must be a non-empty text");
  const count = z.int("must be a whole number, 0 or more").min(0, "must be a whole number, 0 or more");
  return RunOptions().extend({
    ...formatFields(),
    agent: z.unknown().optional(),
    context: z.unknown().optional(),
    // That of an earlier Step, which may have none that can be read (agent reference, section 6).
    context_signature: z.string("must be a text").optional(),
    journal: z.unknown().optional(),
    model: z.union([z.string(), z.array(z.string())], "must be a model's name, or a list of them").optional(),
    on_waiting: z.enum(["park", "return"], "must be park or return").optional(),
    trace_id: text.optional(),
    parent_trace_id: text.nullable().optional(),
    depth: count.optional(),
    remaining_turns: count.optional(),
    deadline_ms: z.number("must be ms since 1970, or null").nullable().optional(),
    tree_calls: count.optional(),
    budget_root: text.optional(),
    shares_budget: z.object({ cost: z.boolean() }, "must be an object {cost}").optional(),
    upstream: z
      .object(
        {
          fail: z.object({ reason: z.string(), message: z.string() }).nullable(),
          field_descriptions: z.record(z.string(), z.string()).nullable(),
        },
        "must be an object {fail, field_descriptions}",
      )
      .optional(),
  });
});

/** The input of a run, complete. */
export interface CompleteRunInput extends AgentInput {
  on_waiting?: "park" | "return";
}

/**
 * Reads the input of a run that any client may have sent: `agent` as `parseAgent` reads it, and what else `AgentInput`
 * has, with the defaults of `startAgent`. Every mistake is named (`invalid_input`).
 *
 * @param knownFields false: fields that are not known here are passed over, since a newer client may have sent them
 */
export function readRunInput(given: unknown, knownFields: boolean): Result<CompleteRunInput> {
  const readable = readableInput("agentRun", given, "agent and context");
  if (!readable.ok) return readable;
  const raw = readable.value;
  const { context = {}, journal } = raw;
  const agent = readAgent(raw.agent, knownFields);
  const issues = [
    ...mistakesOf("agent", agent),
    ...fieldMistakes(RunInputFields(), raw, knownFields),
    ...objectMistakes("context", context),
    ...(journal === undefined || journal === null ? [] : objectMistakes("journal", journal)),
  ];
  if (!agent.ok || issues.length > 0) return invalidWorkflowInput("agentRun", issues);
  const data = context as JsonObject;
  return ok({
    token_limit: null,
    model: "",
    on_waiting: "park",
    // As for Navigator's client: a short name that the run does not explain is refused before its first turn.
    ...(knownFields ? { llm_registry: {} } : {}),
    ...(raw as object),
    agent: agent.value,
    context: data,
    journal: journal === undefined ? defaultJournal({ agent: agent.value, context: data }) : (journal as JsonObject),
  });
}

/** An agent that any client may have sent. One of a newer version may have options that are not known here: it is taken as it is. */
export function readAgent(raw: unknown, knownFields: boolean): Result<AgentDefinition> {
  if (!isObject(raw))
    return failed("invalid_agent", `it must be an object, the agent itself with its prompt, got ${shownKind(raw)}`);
  const read = parseAgent(raw);
  if (read.ok || knownFields) return read;
  const issues = (read.fail.details?.issues ?? []) as unknown as InputMistake[];
  return issues.every(({ message }) => message.startsWith("unknown option "))
    ? ok(raw as unknown as AgentDefinition)
    : read;
}

/** The mistake of a value that must be an object and is none; `path` is its place in the input. */
export const objectMistakes = (path: string, value: unknown): InputMistake[] =>
  isObject(value) ? [] : [{ path, message: `must be an object, got ${shownKind(value)}` }];
