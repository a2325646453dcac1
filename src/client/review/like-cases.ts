import type { Client } from "@temporalio/client";
import { kindOf } from "../../core/base/ids";
import type { Json } from "../../core/base/json";
import { isAbsent } from "../../core/base/navigator-error";
import { ATTRIBUTE } from "../../core/base/search-attributes";
import { type PastReview, reviewsInHistory } from "../../core/history/why/reviews-in-history";
import { reviewKind } from "../../core/review/kinds";
import type { Review } from "../../core/review/review";
import { ask } from "../errors";
import { exportHistory } from "../history";
import { eachOf, type InboxPlace } from "../inbox";
import { listWorkflows } from "../list-workflows";
import { inProject } from "../listing/project-filter";

/** What was decided before in a case like that of a review. */
export interface LikeCase extends PastReview {
  workflow_id: string;
}

/** The last decisions in like cases, the newest first, and how far they were looked for. */
export interface LikeCases {
  cases: LikeCase[];
  /** Workflows whose histories were read, of the newest. */
  looked_at: number;
  /** There are older workflows that were not looked at: what was decided there is not known here. */
  more: boolean;
}

/** Workflows that are looked at: each is a history to be read. */
const MAX_WORKFLOWS = 40;
/** After this time no more are read, in ms. */
const MAX_MS = 2_500;
const AT_A_TIME = 8;

/**
 * Reviews like this one that were decided before: of the same tool, of the same node of the graph or task of a plan, or
 * of the same kind, where the same agent or graph asked. Visibility finds the workflows, the newest first, and their
 * histories show the decisions, also of closed ones and with no worker up. The work is bounded, and the answer shows
 * how far it got.
 *
 * @param size of the list
 */
export async function likeCases(
  place: InboxPlace,
  { workflow_id, review }: { workflow_id: string; review: Review },
  size = 5,
): Promise<LikeCases> {
  const began = Date.now();
  const query = await likeWork(place, workflow_id);
  const { workflows, next } = await listWorkflows(place.temporal, { query, size: MAX_WORKFLOWS });
  const found: LikeCase[] = [];
  let looked = 0;
  while (looked < workflows.length && found.length < size && Date.now() - began < MAX_MS) {
    const some = workflows.slice(looked, looked + AT_A_TIME);
    await eachOf(some, async ({ workflowId, runId, status }) => {
      const past = await pastReviews(place.temporal, workflowId, runId, status.name !== "RUNNING");
      for (const one of past)
        if (one.state === "decided" && isLike(one, review)) found.push({ workflow_id: workflowId, ...one });
    });
    looked += some.length;
  }
  const cases = found.sort((a, b) => decidedAt(b) - decidedAt(a)).slice(0, size);
  return { cases, looked_at: looked, more: looked < workflows.length || next !== undefined };
}

const decidedAt = ({ votes, asked_at }: PastReview): number => votes.at(-1)?.at ?? asked_at;

function isLike(past: PastReview, review: Review): boolean {
  if (past.id === review.id || past.kind !== review.kind) return false;
  const { tool, step } = reviewKind(review).about(review.data);
  return past.tool === tool && past.step === step;
}

/** The same agent, or the same graph: no attribute shows whether others ask the same. */
async function likeWork({ temporal, project }: InboxPlace, workflowId: string): Promise<string> {
  const { searchAttributes } = await ask(() => temporal.workflow.getHandle(workflowId).describe());
  const of = (name: string): string | undefined => {
    const [value] = searchAttributes[name] ?? [];
    return value === undefined ? undefined : String(value);
  };
  const [agent, graph] = [of(ATTRIBUTE.agent), of(ATTRIBUTE.workflow)];
  const kind = kindOf(workflowId);
  const same =
    graph !== undefined && kind === "task" && agent === undefined
      ? [`WorkflowType = "navigatorTask"`, `${ATTRIBUTE.workflow} = ${JSON.stringify(graph)}`]
      : agent !== undefined
        ? [`WorkflowType = "agentRun"`, `${ATTRIBUTE.agent} = ${JSON.stringify(agent)}`]
        : [`WorkflowType = "planRun"`];
  return [...same, inProject(project), `ExecutionStatus != "ContinuedAsNew"`].join(" AND ");
}

/** Closed runs are remembered: their histories do not change. */
const MAX_REMEMBERED = 400;
const remembered = new WeakMap<Client, Map<string, PastReview[]>>();

async function pastReviews(
  temporal: Client,
  workflowId: string,
  runId: string,
  isClosed: boolean,
): Promise<PastReview[]> {
  const known = remembered.get(temporal) ?? new Map<string, PastReview[]>();
  remembered.set(temporal, known);
  const before = known.get(runId);
  if (before !== undefined) return before;
  const history = await historyOf(temporal, workflowId, runId);
  const past = history === null ? [] : reviewsInHistory(workflowId, [history]);
  if (!isClosed) return past;
  known.set(runId, past);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
  return past;
}

/** null: the server has deleted it during that time. */
async function historyOf(temporal: Client, workflowId: string, runId: string): Promise<Json | null> {
  try {
    return await exportHistory(temporal.workflow.getHandle(workflowId, runId));
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}
