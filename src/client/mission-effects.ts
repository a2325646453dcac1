import { type MissionEffects, missionEffects } from "../core/history/trace/mission-effects";
import { reviewKind } from "../core/review/kinds";
import type { NavigatorClient } from "./client";
import { missionHistories } from "./mission-tree";

/** The effects of a mission, and what people are asked about them. */
export interface AskedEffects extends MissionEffects {
  /** The open reviews about an effect: its outcome is unknown, or a call asks for it again. */
  questions: EffectQuestion[];
}

/** An open review about an effect. */
export interface EffectQuestion {
  /** The key of the effect. */
  key: string;
  review: string;
}

/**
 * Reads the effects of a mission and of all runs below it from their histories: of running and closed workflows, with no
 * worker up. Only the open reviews of a running mission are asked of workers; without one there are none.
 *
 * @param workflowId the whole id: `agent/x`, `task/x`, `plan/x`
 */
export async function readMissionEffects(client: NavigatorClient, workflowId: string): Promise<AskedEffects> {
  const found = missionEffects(await missionHistories(client, workflowId));
  if (found.end !== null || !found.ledger) return { ...found, questions: [] };
  const { open } = await client.openReviews({ within: workflowId });
  const questions = open.flatMap(({ review }) => {
    const { effect: key } = reviewKind(review).about(review.data);
    return key === undefined ? [] : [{ key, review: review.id }];
  });
  return { ...found, questions };
}
