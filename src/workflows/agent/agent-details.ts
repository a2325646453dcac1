import { amountText, type TreeBudgetState } from "../../core/agent/budget/tree-budget";
import type { Step } from "../../core/agent/result/step";
import { pausedText } from "../../core/base/input/pause";
import { cutText } from "../../core/base/whole-characters";
import { MISSION_LOG_HEADING } from "../../core/journal/mission-log";
import { reviewLines } from "../../core/review/lines";
import { codeSpan, listLines, textInMarkdown } from "../../core/review/markdown";
import type { Review } from "../../core/review/review";
import type { AgentRunStatus } from "../agent-run-input";

interface Shown {
  status: AgentRunStatus;
  /** The last one, when the run is over. */
  step: Step | undefined;
  /** The Mission Log; "" without records. */
  log: string;
  progress: string;
  /** The lines of the effects; "" without effects. */
  effects: string;
  reviews: readonly Review[];
  budget: TreeBudgetState | undefined;
}

/** The headings of a plan's checklist (`renderProgress`). */
const PROGRESS_HEADINGS = ["## Progress", "### Out-of-Plan Steps"];

/** The page of a run in the Temporal Web UI, as Markdown. */
export function agentDetails({ status, step, log, progress, effects, reviews, budget }: Shown): string {
  const refused = status.refused_signals;
  return [
    headline(status, step),
    budget === undefined ? "" : `Budget: ${amountText(budget.spent, budget.limit)}.`,
    listLines(log, [MISSION_LOG_HEADING]),
    listLines(progress, PROGRESS_HEADINGS),
    effects,
    reviewLines(reviews),
    refused === 0 ? "" : `${refused} signal(s) refused: they were no decisions this mission can record.`,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const openReviewsText = ({ open_reviews }: AgentRunStatus): string =>
  open_reviews === 0 ? "" : `: ${open_reviews} open review(s)`;

function headline(status: AgentRunStatus, step: Step | undefined): string {
  if (step?.fail) return `**failed** (${textInMarkdown(step.fail.reason)}): ${textInMarkdown(step.fail.message)}`;
  if (step) return `**completed**: ${codeSpan(cutText(JSON.stringify(step.return), 300))}`;
  if (status.state === "blocked")
    return `**blocked: ${textInMarkdown(status.blocked?.text ?? "")}**\n\n${textInMarkdown(status.blocked?.help ?? "")} The run continues automatically.`;
  if (status.state === "paused" && status.paused !== undefined)
    return `**paused** ${textInMarkdown(pausedText(status.paused))}, turn ${status.turn}${openReviewsText(status)}`;
  if (status.state === "cancelled") return `**cancelled** in turn ${status.turn}`;
  if (status.state === "waiting" && status.waiting === undefined)
    return `**waiting for a person**, turn ${status.turn}: ${status.open_reviews} open review(s)`;
  if (status.state === "waiting")
    return `**waiting for a decision**: ${codeSpan(cutText(JSON.stringify(status.waiting), 300))}`;
  return `**running**, turn ${status.turn}`;
}
