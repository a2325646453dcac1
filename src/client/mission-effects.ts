import { isObject } from "../core/base/is-object";
import { type MissionEffects, missionEffects } from "../core/history/trace/mission-effects";
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
  const told = missionEffects(await missionHistories(client, workflowId));
  if (told.end !== null || !told.ledger) return { ...told, questions: [] };
  const { open } = await client.openReviews({ within: workflowId });
  const questions = open.flatMap(({ review: { id, data } }) => {
    const key = keyIn(data);
    return key === undefined ? [] : [{ key, review: id }];
  });
  return { ...told, questions };
}

/** The effect that a review is about. */
function keyIn(data: unknown): string | undefined {
  if (!isObject(data)) return undefined;
  const { code, key, earlier } = data;
  const found =
    code === "unknown_outcome" ? key : code === "same_effect" && isObject(earlier) ? earlier.key : undefined;
  return typeof found === "string" ? found : undefined;
}
