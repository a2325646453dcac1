import type { AgentDefinition } from "../../../agent/definition/definition";
import { jsonBytes } from "../../../base/bytes";
import { defined } from "../../../base/defined";
import { type Failure, failed, ok, type Result } from "../../../base/failure";
import { stepRunId } from "../../../base/ids";
import { isObject } from "../../../base/is-object";
import type { Json, JsonObject } from "../../../base/json";
import { MAX_PAYLOAD_BYTES } from "../../../base/limits";
import { type Definition, type Node, nodeName, nodeOf, outputsOf, workOf } from "../../definition/schema";
import { moveUndoText } from "../undo-over-edges";
import type { AgentWork, AgentWorkInput } from "./actions";
import type { TaskState } from "./task-state";

/** An agent's work at a step: its input, and what its run means for the task (engine reference, section 7). */

/**
 * The work of an agent at the step where the task is. It counts as begun, and its attempt is numbered.
 *
 * @param taskWorkflowId the agent's workflow id begins with it
 * @returns reason `payload_too_large` when the agent cannot be given what it needs to know
 */
export function beginAgentWork(
  state: Pick<TaskState, "task" | "definition" | "setup" | "work" | "ledger">,
  agent: AgentDefinition,
  taskWorkflowId: string,
): Result<AgentWork> {
  const { task, work, setup, ledger } = state;
  const step = task.currentStep;
  const attempt = work.begin(step);
  const context = agentContext(state);
  const input: AgentWorkInput = {
    agent,
    context,
    // The context is data: callers of all kinds start tasks, and a journal of theirs could answer for a person.
    journal: work.journalOf(step) ?? {},
    model: setup.model,
    ...defined({ requested_by: setup.requested_by }),
    effects: ledger.delegate(step),
  };
  const bytes = jsonBytes(input as unknown as Json);
  if (bytes > MAX_PAYLOAD_BYTES)
    return failed(
      "payload_too_large",
      `Its agent cannot be started: what it needs to know is ${bytes} bytes, the limit is ${MAX_PAYLOAD_BYTES}.`,
      { bytes },
    );
  return ok({ step, attempt, workflowId: stepRunId(taskWorkflowId, step, attempt), input });
}

/** The task's context, which step this is, and what each step last gave. */
function agentContext({ task, definition, setup }: Pick<TaskState, "task" | "definition" | "setup">): JsonObject {
  const outputs = stepOutputs({ task, setup });
  // A `step` in the task's own context takes precedence.
  const context = { step: stepBrief(definition as Definition, task.currentStep), ...task.context };
  return Object.keys(outputs).length === 0 ? context : { ...context, steps: { ...setup.outputs, ...outputs } };
}

/** What each step last gave, those before a fork included. */
export function stepOutputs({ task, setup }: Pick<TaskState, "task" | "setup">): JsonObject {
  const outputs: JsonObject = { ...setup.outputs };
  for (const { step, output, undo } of task.history) {
    const note = undo === undefined ? "" : moveUndoText(undo);
    if (note !== "") outputs[step] = withUndoNote(output ?? null, note);
    else if (output !== undefined) outputs[step] = output;
  }
  return outputs;
}

/** What a step gave, with what was undone because it failed, for the next step and for people. */
export const withUndoNote = (output: Json, note: string): JsonObject =>
  isObject(output) ? { ...output, undo: "undo" in output ? `${output.undo} ${note}` : note } : { output, undo: note };

const BRIEF_KEYS = ["stage", "description", "instructions", "context_files", "config"] as const;

/**
 * The data `step` of an agent. An agent that works at many steps (a reviewer, a tester) reads here what is asked of it
 * this time, and which outcomes are possible.
 */
export function stepBrief(definition: Definition, step: string): JsonObject {
  const node = nodeOf(definition, step);
  const work = workOf(node);
  const brief: JsonObject = { id: step, name: nodeName(definition, step) };
  if (!node || !work) return brief;
  for (const key of BRIEF_KEYS) if (work[key] !== undefined) brief[key] = work[key] as Json;
  return { ...brief, outputs: [...outputsOf(node)] };
}

/**
 * What an agent's run means for its node.
 *
 * A failed run is `failed`, its failure the output. Otherwise, in this order:
 * 1. a returned map names the outcome in `outcome`: taken as it is, so that a wrong one shows instead of passing;
 * 2. a returned map has in `result` one of the node's outputs (any other text there is the agent's answer);
 * 3. a returned text is one of the node's outputs;
 * 4. `passed`.
 * The output is what the run returned, whole.
 */
export function outcomeOf(node: Node, stepReturn: Json, failure: Failure | null): { result: string; output: Json } {
  if (failure) return { result: "failed", output: { reason: failure.reason, message: failure.message } };
  return { result: namedOutcome(node, stepReturn) ?? "passed", output: stepReturn };
}

function namedOutcome(node: Node, stepReturn: Json): string | undefined {
  const isOutput = (value: Json | undefined): value is string =>
    typeof value === "string" && outputsOf(node).includes(value);
  if (isOutput(stepReturn)) return stepReturn;
  if (!isObject(stepReturn)) return undefined;
  const outcome = own(stepReturn, "outcome");
  if (typeof outcome === "string") return outcome;
  const result = own(stepReturn, "result");
  return isOutput(result) ? result : undefined;
}

const own = (map: JsonObject, key: string): Json | undefined => (Object.hasOwn(map, key) ? map[key] : undefined);
