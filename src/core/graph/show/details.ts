import { isoTime } from "../../base/iso-time";
import { shortened } from "../../base/whole-characters";
import { codeBlock, quotation, textInMarkdown } from "../../review/markdown";
import type { Review } from "../../review/review";
import { type Definition, maxRetriesOf, nodeOf } from "../definition/schema";
import type { Task } from "../task/task-schema";
import { type TaskProgress, taskProgress } from "./progress";
import { renderWay, stepTitle } from "./text-diagram";

const MAX_BODY_CHARS = 600;
const MAX_MOVES = 30;

/**
 * The page of a task in the Temporal Web UI while it runs, as Markdown: where it is, what it waits for and how it got
 * there. `openReviews`: the reviews that wait for a person.
 */
export function renderTaskDetails(definition: Definition, task: Task, openReviews: readonly Review[]): string {
  const progress = taskProgress(definition, task);
  return [
    headline(definition, task, progress),
    ...waysOn(progress),
    ...(openReviews.length === 0 ? [] : ["### Waiting for a person", ...openReviews.map(reviewText)]),
    `### Graph\n\n${codeBlock(renderWay(definition, task, MAX_MOVES))}`,
  ].join("\n\n");
}

function headline(definition: Definition, task: Task, progress: TaskProgress): string {
  const { percent, stage, agent, waitingUntil, retriesRemaining } = progress;
  const node = nodeOf(definition, task.currentStep);
  const facts = [
    `**${task.status}** at **${textInMarkdown(stepTitle(definition, task.currentStep))}** (${percent} %)`,
    ...(stage ? [`stage ${textInMarkdown(stage)}`] : []),
    ...(agent ? [`agent ${textInMarkdown(agent)}`] : []),
    ...(waitingUntil === undefined ? [] : [`waits until ${isoTime(waitingUntil)}`]),
    ...(node && maxRetriesOf(node) > 0 ? [`${retriesRemaining} of ${maxRetriesOf(node)} retries left`] : []),
  ];
  return facts.join(" · ");
}

function waysOn({ status, nextSteps }: TaskProgress): string[] {
  if (status === "COMPLETED" || status === "FAILED") return [];
  const ways = nextSteps.map(({ to, on }) => `${on ?? "any result"} → ${to}`);
  return ways.length === 0 ? [] : [`Ways on: ${textInMarkdown(ways.join(", "))}`];
}

function reviewText(review: Review): string {
  const body = shortened(review.body, MAX_BODY_CHARS);
  return [
    `- **${textInMarkdown(review.title)}** (${textInMarkdown(review.id)})`,
    ...(body === "" ? [] : [quotation(body, "  ")]),
    `  Choices: ${textInMarkdown(review.choices.join(", "))}`,
  ].join("\n");
}
