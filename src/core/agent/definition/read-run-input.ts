import { z } from "zod";
import { failed, ok, type Result } from "../../base/failure";
import type { Period } from "../../base/ids";
import { givenIdProblem, wrongId } from "../../base/input/id-rule";
import {
  count,
  formatFields,
  type InputMistake,
  like,
  shownKind,
  text,
  workflowInput,
} from "../../base/input/workflow-input";
import { isObject } from "../../base/is-object";
import { isTimeZone } from "../../base/iso-time";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { defaultJournal } from "../../journal/given-journal";
import { AgentFile } from "./agent-file";
import type { AgentDefinition } from "./definition";
import { parseAgent } from "./parse-agent";
import { RunOptions } from "./run-options";

/** A `ContinuedRun`, as far as a run needs it. */
const CONTINUED = {
  state: {
    ...{ started_at: 0, trace_id: "", turn: 0, work_left: 0, retry_left: 0, remaining_turns: 0, native_calls: 0 },
    ...{ messages: [], turns: [], warnings: [], child_steps: [], summaries: [], tool_cache: [], history: [] },
    ...{ tokens: {}, memory: {}, last_program: { prints: [], tool_calls: [], pmap_calls: [] } },
  },
  ...{ model_calls: 0, tree_calls: 0, invocation: 0, unseen_decisions: 0, refused_signals: 0 },
  ...{
    reviews: { reviews: [], count: 0 },
    used: { own: {} },
    "records?": [],
    "parked?": { since: 0 },
    "pause?": {},
  },
  ...{ "tree_budget?": { limit: {}, spent: {} }, "chain?": { seq: 0, head: "", at: 0 } },
};

function upstream() {
  return z.object(
    {
      fail: z.object({ reason: z.string(), message: z.string() }).nullable(),
      field_descriptions: z.record(z.string(), z.string()).nullable(),
    },
    "must be an object {fail, field_descriptions}",
  );
}

/**
 * Reads the input of a run: `agent` as `parseAgent` reads it, and what else `AgentInput` has, with the defaults of `startAgent`.
 */
export const readRunInput = workflowInput(
  "agentRun",
  "agent and context",
  () => ({
    fields: {
      ...RunOptions().shape,
      ...formatFields(),
      agent: z.unknown().optional(),
      context: like({}),
      // That of an earlier Step, which may have none that can be read (agent reference, section 6).
      context_signature: z.string("must be a text").optional(),
      journal: like({}).nullable(),
      model: z.union([z.string(), z.array(z.string())], "must be a model's name, or a list of them").optional(),
      on_waiting: z.enum(["park", "return"], "must be park or return").optional(),
      trace_id: text().optional(),
      parent_trace_id: text().nullable().optional(),
      depth: count().optional(),
      remaining_turns: count().optional(),
      deadline_ms: z.number("must be ms since 1970, or null").nullable().optional(),
      tree_calls: count().optional(),
      budget_root: text().optional(),
      shares_budget: z.object({ cost: z.boolean() }, "must be an object {cost}").optional(),
      upstream: upstream().optional(),
    },
    internal: {
      effects: like({ mission: "", lane: "" }),
      retry: like({ of: "" }),
      owner: like({ workflow_id: "", run_id: "" }),
    },
    continuedFields: {
      carried: like(CONTINUED),
    },
  }),
  (raw, take, { knownFields }) => {
    const agent = take("agent", readAgent(raw.agent, knownFields));
    return () => {
      const { context = {}, journal } = raw as { context?: JsonObject; journal?: JsonObject | null };
      return {
        token_limit: null,
        model: "",
        on_waiting: "park" as const,
        // As for Navigator's client: a short name that the run does not explain is refused before its first turn.
        ...(knownFields ? { llm_registry: {} } : {}),
        ...(raw as object),
        agent,
        context,
        journal: journal === undefined ? defaultJournal({ agent, context }) : journal,
      };
    };
  },
);

/** One of a newer version may have options that are not known here. Such a version sends whole agents, which stay as they are. */
export function readAgent(raw: unknown, knownFields: boolean): Result<AgentDefinition> {
  if (!isObject(raw))
    return failed("invalid_agent", `it must be an object, the agent itself with its prompt, got ${shownKind(raw)}`);
  const read = parseAgent(raw);
  if (read.ok || knownFields) return read;
  const issues = (read.fail.details?.issues ?? []) as unknown as InputMistake[];
  const isNewer = issues.every(({ message }) => message.startsWith("unknown option ")) && Array.isArray(raw.tools);
  return isNewer ? ok({ ...defaults(), ...(raw as object) } as AgentDefinition) : read;
}

const defaults = onFirstUse(() => AgentFile().parse({ prompt: "-" }) as object);

/** Reads the input of what a schedule starts: the id of the schedule, and the input of its runs as `readRunInput` reads it. */
export const readScheduledRun = workflowInput(
  "scheduledAgent",
  "id and run",
  () => ({
    fields: {
      ...formatFields(),
      id: z.string("must be the id of the schedule").superRefine((id, context) => {
        const problem = givenIdProblem(id);
        if (problem !== undefined)
          context.addIssue({ code: "custom", message: `is wrong: ${wrongId("a schedule", id, problem)}` });
      }),
      once_per: z
        .union(
          [z.enum(["day", "hour", "minute"]), z.strictObject({ day_in: z.string().refine(isTimeZone) })],
          'must be day, hour or minute, or {"day_in": TIME_ZONE}',
        )
        .optional(),
      run: z.unknown().optional(),
    },
  }),
  (raw, take, { knownFields }) => {
    const run = take("run", readRunInput(raw.run, { knownFields }));
    return () => {
      const { id, once_per = "minute" } = raw as { id: string; once_per?: Period };
      return { id, once_per, run };
    };
  },
);
