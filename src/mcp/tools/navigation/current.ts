import * as z from "zod";
import type { OpenReview } from "../../../client/inbox";
import { defined } from "../../../core/base/defined";
import type { Task } from "../../../core/graph/task/task";
import { openReviewOf } from "../../client-features/elicitation";
import { type Call, READ, tool } from "../../context/tool";
import { describeWaiting } from "../../results/waiting-for";
import { Instructions, instructionsOf, placeOf, taskPlace } from "./navigated-task";

/** A task that has ended has none. */
const openReview = (task: Task, call: Call): Promise<OpenReview | undefined> =>
  isOver(task) ? Promise.resolve(undefined) : openReviewOf(task, call);

const isOver = ({ status }: Task) => status === "COMPLETED" || status === "FAILED";

export const currentTool = tool({
  name: "current",
  title: "The present step",
  description:
    "A task's subject, its history, and the instructions of its current step. Enough to continue after a restart.",
  input: z.strictObject(taskPlace),
  data: Instructions,
  hints: READ,
  errors: ["task_not_found", "workflow_not_found"],
  run: async (given, call) => {
    const { id } = await placeOf(given, call);
    const task = await call.taskService.task(id);
    const [told, open] = await Promise.all([instructionsOf(task, call), openReview(task, call)]);
    return {
      ...told,
      ...defined({ waitingFor: open && describeWaiting(open.review, "not_asked", call.serverContext.tools) }),
    };
  },
});
