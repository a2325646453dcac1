import { withoutHidden } from "../../core/agent/prompt/hidden-values";
import { defined } from "../../core/base/defined";
import { isObject } from "../../core/base/is-object";
import type { Json } from "../../core/base/json";
import { readHistory, startedIn } from "../../core/history/read/history";
import { type RefusedSignal, refusedSignals } from "../../core/history/read/refused-signals";
import { type AskingTurn, askingTurn } from "../../core/history/why/asking-turn";
import { type PastReview, reviewsInHistory } from "../../core/history/why/reviews-in-history";
import { reviewKind } from "../../core/review/kinds";
import type { Review } from "../../core/review/review";
import { exportRuns } from "../history";
import type { InboxPlace } from "../inbox";

/** Why a review is asked, and what came before it in its own work: read from the histories of its workflow. */
export interface ReviewReasons {
  workflow_id: string;
  /** null: it is a graph or a plan that asks, and no agent. */
  asked: AskingTurn | null;
  /** Of a task on a graph: the issue that it is about, and what it was given. */
  task?: { issue: string; graph: string; context: Json };
  /** Reviews of the same work before this one, about the same tool or step, the newest first. */
  before: PastReview[];
  /** Decisions that came as signals and counted for nothing. */
  refused: RefusedSignal[];
}

/** @throws NavigatorError `not_found` */
export async function reviewReasons(
  { temporal }: InboxPlace,
  { workflow_id, review }: { workflow_id: string; review: Review },
): Promise<ReviewReasons> {
  const runs = await exportRuns(temporal, workflow_id);
  const { tool, step } = reviewKind(review).about(review.data);
  const before = reviewsInHistory(workflow_id, runs)
    .filter((one) => one.id !== review.id && one.asked_at <= review.createdAt)
    .filter((one) => one.tool === tool && one.step === step && (tool ?? step) !== undefined);
  return {
    workflow_id,
    asked: askingTurn(review, runs),
    ...defined({ task: taskOf(runs) }),
    before: before.reverse().slice(0, MAX_BEFORE),
    refused: refusedSignals(readHistory(runs.at(-1) ?? []))
      .filter(({ said }) => said.review === review.id)
      .slice(0, MAX_BEFORE),
  };
}

const MAX_BEFORE = 10;

function taskOf(runs: readonly unknown[]): ReviewReasons["task"] {
  const input = startedIn(runs[0])?.input;
  if (!isObject(input?.task)) return undefined;
  const { issueId, workflowType, context = {} } = input.task;
  return { issue: String(issueId), graph: String(workflowType), context: withoutHidden(context) };
}
