import { NavigatorError } from "../../core/base/navigator-error";
import type { AdvanceAnswer } from "../../core/graph/task/task";

/** The call succeeded, but nothing moved: the caller must not think that the step is done. */
export function noWayOut(id: string, answer: AdvanceAnswer & { success: false }): NavigatorError {
  const { previousStep: step, result, availableEdges: edges } = answer;
  const outcome = result === null ? "without a result" : `with "${result}"`;
  const ways = edges.map((edge) => `${edge.on ?? "(any result)"} -> ${edge.to}`).join(", ");
  return new NavigatorError(answer.action, `${id} stays at "${step}": no edge leads on ${outcome}.`, {
    hint: ways === "" ? "This step has no outgoing edge." : `Ways on: ${ways}`,
    details: answer,
  });
}
