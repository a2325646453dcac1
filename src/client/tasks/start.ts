import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowIdConflictPolicy,
  WorkflowIdReusePolicy,
} from "@temporalio/client";
import { shownDetails } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import { taskWorkflowId } from "../../core/base/ids";
import { WORKFLOW_TASK_TIMEOUT_MS } from "../../core/base/limits";
import { isAbsent } from "../../core/base/navigator-error";
import { presentFormat } from "../../core/base/run-format";
import type { Mover } from "../../core/review/people/mover";
import type { navigatorTask } from "../../workflows";
import * as messages from "../../workflows/messages";
import type { NavigatorTaskInput, TaskAnswer } from "../../workflows/navigator-task-input";
import { formatAttributes, taskAttributes } from "../../workflows/search-attributes";
import { workPriority } from "../../workflows/start/priority";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";

/** Starts a task in the tree; false = a task with this id is running, or must not be started again. */
export async function startTask(
  client: NavigatorClient,
  input: NavigatorTaskInput,
  reuse: "again" | "never",
): Promise<boolean> {
  const { task, order, definition } = input;
  const format = presentFormat();
  try {
    await ask(() =>
      client.temporal.workflow.start<typeof navigatorTask>("navigatorTask", {
        workflowId: taskWorkflowId(task.id, client.project),
        args: [{ ...input, ...format }],
        taskQueue: client.taskQueue,
        workflowTaskTimeout: WORKFLOW_TASK_TIMEOUT_MS,
        workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
        workflowIdReusePolicy:
          reuse === "again" ? WorkflowIdReusePolicy.ALLOW_DUPLICATE : WorkflowIdReusePolicy.REJECT_DUPLICATE,
        typedSearchAttributes: [...taskAttributes(task, order), ...formatAttributes(format)],
        staticSummary: `task ${task.id} on ${task.workflowType}`,
        staticDetails: shownDetails(definition?.description ?? ""),
        ...defined({ priority: workPriority(task, client.project ?? task.issueId) }),
      }),
    );
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Puts a task into the state of the orchestrator's list, whether it exists or not. Returns the records that are not confirmed. */
export async function putTask(client: NavigatorClient, input: NavigatorTaskInput, by?: Mover): Promise<string[]> {
  // Who has asked for a task that is there stays: otherwise whoever loads it again could take its requester's place.
  const { requested_by: _, ...again } = input;
  // Two attempts: a task that ends between the two calls is started again.
  for (let attempt = 0; ; attempt++) {
    if (await startTask(client, input, "again")) return [];
    try {
      const answer: TaskAnswer = await ask(() =>
        client.task(input.task.id).workflow.executeUpdate(messages.reload, {
          args: by === undefined ? [again] : [again, by],
        }),
      );
      return answer.syncs;
    } catch (error) {
      if (!isAbsent(error) || attempt > 2) throw error;
    }
  }
}
