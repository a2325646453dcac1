import { isoTime } from "../../base/iso-time";
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
    `### Graph\n\n${fenced(renderWay(definition, task, MAX_MOVES))}`,
  ].join("\n\n");
}

function headline(definition: Definition, task: Task, progress: TaskProgress): string {
  const { percent, stage, agent, waitingUntil, retriesRemaining } = progress;
  const node = nodeOf(definition, task.currentStep);
  const facts = [
    `**${task.status}** at **${escaped(stepTitle(definition, task.currentStep))}** (${percent} %)`,
    ...(stage ? [`stage ${escaped(stage)}`] : []),
    ...(agent ? [`agent ${escaped(agent)}`] : []),
    ...(waitingUntil === undefined ? [] : [`waits until ${isoTime(waitingUntil)}`]),
    ...(node && maxRetriesOf(node) > 0 ? [`${retriesRemaining} of ${maxRetriesOf(node)} retries left`] : []),
  ];
  return facts.join(" · ");
}

function waysOn({ status, nextSteps }: TaskProgress): string[] {
  if (status === "COMPLETED" || status === "FAILED") return [];
  const ways = nextSteps.map(({ to, on }) => `${on ?? "any result"} → ${to}`);
  return ways.length === 0 ? [] : [`Ways on: ${escaped(ways.join(", "))}`];
}

function reviewText(review: Review): string {
  const body = review.body.length > MAX_BODY_CHARS ? `${review.body.slice(0, MAX_BODY_CHARS)}...` : review.body;
  return [
    `- **${escaped(review.title)}** (${escaped(review.id)})`,
    ...(body === "" ? [] : body.split("\n").map((line) => `  > ${line}`)),
    `  Choices: ${escaped(review.choices.join(", "))}`,
  ].join("\n");
}

/** Names may contain any text: they must not become markup of the page. */
const escaped = (text: string): string => text.replace(/[\\`*_[\]<>#|]/g, "\\$&").replace(/\s+/g, " ");

function fenced(text: string): string {
  // Longer than any run of backticks inside, so that no name can end the block.
  const runs = [...text.matchAll(/`+/g)].map((run) => run[0].length);
  const fence = "`".repeat(Math.max(3, ...runs.map((length) => length + 1)));
  return `${fence}\n${text}\n${fence}`;
}
