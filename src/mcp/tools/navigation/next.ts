import * as z from "zod";
import { NavigatorError } from "../../../core/base/navigator-error";
import { afterMove } from "../../client-features/elicitation";
import { movedOnce } from "../../client-features/questions";
import { mayRepeat } from "../../context/known-tasks";
import { requestIdOf } from "../../context/request-id";
import { sessionAgent } from "../../context/session-agent";
import { type Call, CHANGE, tool } from "../../context/tool";

import { Instructions, placeOf, taskPlace, waitingForOf, writeInstructions } from "./navigated-task";

export const nextTool = tool({
  name: "next",
  title: "On to the next step",
  description: "Reports the result of the current step, moves the task, and answers the instructions of the next one.",
  input: z.strictObject({
    ...taskPlace,
    result: z.string().describe("E.g. passed or failed").optional(),
    output: z.unknown().describe("Output of the step, kept in the history").optional(),
    expectedStep: z.string().describe("Moves only from this step").optional(),
    version: z.int().describe("Version of the task in the last answer").optional(),
    claim: z.string().describe("Token of the claim, if the task is claimed").optional(),
  }),
  data: Instructions,
  hints: CHANGE,
  errors: [
    "task_not_found",
    "stale_version",
    "version_required",
    "no_matching_edge",
    "result_required",
    "agents_may_not_decide",
  ],
  run: async ({ taskId, taskFilePath, ...step }, call) => {
    const place = await placeOf({ taskId, taskFilePath }, call);
    const request = requestIdOf(call.extra, { id: place.id, ...step });
    const given = { ...step, by: sessionAgent(call), ...mayRepeat(place.id, call) } as Parameters<
      typeof call.taskService.advance
    >[1];
    const moved = await movedOnce(place.id, call, () => call.taskService.advance(place.id, given, request));
    if (!moved.success) throw noMatchingEdge(moved);
    const asked = await afterMove(moved, call);
    return { ...(await writeInstructions(asked.task, place, call)), action: moved.action, ...waitingForOf(asked) };
  },
});

function noMatchingEdge({ action, previousStep, result, availableEdges }: Stayed): NavigatorError {
  const ways = availableEdges.map(({ on, to }) => `${on ?? "(any result)"} -> ${to}`).join(", ");
  const said = result === null ? "without a result" : `with "${result}"`;
  return new NavigatorError(action, `No edge leads on from "${previousStep}" ${said}: nothing moved.`, {
    ...(ways === "" ? {} : { hint: `Ways on: ${ways}` }),
    details: { availableEdges: availableEdges as never },
  });
}
type Stayed = Extract<Awaited<ReturnType<Call["taskService"]["advance"]>>, { success: false }>;
