import { WithStartWorkflowOperation, WorkflowIdConflictPolicy } from "@temporalio/client";
import { taskTreeWorkflowId } from "../../core/base/ids";
import { isAbsent } from "../../core/base/navigator-error";
import * as messages from "../../workflows/messages";
import type { NavigatorClient } from "../client";
import { ask } from "../errors";

const EMPTY: messages.TreeState = { base: 0, next: 1 };

/** The beginning of the tree of a project, and the numbers that order its tasks. */
export class Tree {
  constructor(private readonly client: NavigatorClient) {}

  /** Reads the workflow's memo: no worker is needed. */
  async base(): Promise<number> {
    try {
      const { memo } = await ask(() =>
        this.client.temporal.workflow.getHandle(taskTreeWorkflowId(this.client.project)).describe(),
      );
      return ((memo?.tree as messages.TreeState | undefined) ?? EMPTY).base;
    } catch (error) {
      if (isAbsent(error)) return EMPTY.base;
      throw error;
    }
  }

  /** Reserves this many numbers, and returns the first. */
  allocate(count: number): Promise<number> {
    const startWorkflowOperation = new WithStartWorkflowOperation("taskTree", {
      workflowId: taskTreeWorkflowId(this.client.project),
      taskQueue: this.client.taskQueue,
      args: [EMPTY],
      workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
    });
    return ask(() =>
      this.client.temporal.workflow.executeUpdateWithStart(messages.allocateOrders, {
        startWorkflowOperation,
        args: [count],
      }),
    );
  }

  /** Moves the beginning of the tree. Earlier tasks are not in it any more. */
  async replace(base: number): Promise<void> {
    await ask(() =>
      this.client.temporal.workflow
        .getHandle(taskTreeWorkflowId(this.client.project))
        .executeUpdate(messages.replaceTree, { args: [base] }),
    );
  }
}
