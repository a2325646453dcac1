import type { AgentDefinition } from "../../../agent/definition/definition";
import { jsonBytes } from "../../../base/bytes";
import { failed, ok, type Result } from "../../../base/failure";
import { stepRunId } from "../../../base/ids";
import type { Json, JsonObject } from "../../../base/json";
import { MAX_PAYLOAD_BYTES } from "../../../base/limits";
import type { Definition } from "../../definition/schema";
import { stepBrief } from "../step-brief";
import type { AgentWork, AgentWorkInput } from "./actions";
import type { TaskState } from "./task-state";

/**
 * The work of an agent at the step where the task is. It counts as begun, and its attempt is numbered.
 *
 * @param taskWorkflowId the agent's workflow id and idempotency keys begin with it
 * @returns reason `payload_too_large` when the agent cannot be given what it needs to know
 */
export function beginAgentWork(
  state: Pick<TaskState, "task" | "definition" | "setup" | "work">,
  agent: AgentDefinition,
  taskWorkflowId: string,
): Result<AgentWork> {
  const { task, work, setup } = state;
  const step = task.currentStep;
  const attempt = work.begin(step);
  const input: AgentWorkInput = {
    agent,
    context: agentContext(state),
    journal: work.journalOf(step),
    model: setup.model,
    idempotency_scope: work.scope(taskWorkflowId, step),
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
  // A task that was started with a `step` of its own means that one.
  const context = { step: stepBrief(definition as Definition, task.currentStep), ...task.context };
  return Object.keys(outputs).length === 0 ? context : { ...context, steps: { ...setup.outputs, ...outputs } };
}

/** What each step last gave, those before a fork included. */
export function stepOutputs({ task, setup }: Pick<TaskState, "task" | "setup">): JsonObject {
  const outputs: JsonObject = { ...setup.outputs };
  for (const entry of task.history) if (entry.output !== undefined) outputs[entry.step] = entry.output;
  return outputs;
}
