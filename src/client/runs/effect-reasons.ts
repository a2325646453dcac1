import { ownerOfReview, ownerWorkflowId, reviewIdIn, workflowIdIn } from "../../core/base/ids";
import { isAbsent } from "../../core/base/navigator-error";
import { type EffectReasons, reasonsOfReview } from "../../core/history/why/effect-reasons";
import { whyInHistory } from "../../core/history/why/why-in-history";
import type { ReadingClient } from "../mission-tree";
import { missionTries, takenOverBy } from "../retries";

/**
 * Why effects of a mission came about, from the histories alone: no worker is needed.
 *
 * @param of the whole id of a mission, task or plan (`agent/x`), or the id of a review
 * @param key of an effect, or the beginning of one; "" = all effects
 * @throws NavigatorError `not_found`
 */
export async function effectReasons(client: ReadingClient, of: string, key = ""): Promise<EffectReasons[]> {
  const mission = workflowIdIn(client.project, of);
  try {
    return await reasonsOf(client, mission, key);
  } catch (error) {
    const review = reviewIdIn(client.project, of);
    const owner = ownerOfReview(review);
    if (!isAbsent(error) || owner === undefined) throw error;
    return reasonsOfReview(await reasonsOf(client, ownerWorkflowId(owner, client.project), key), review);
  }
}

async function reasonsOf(client: ReadingClient, mission: string, key: string): Promise<EffectReasons[]> {
  const reasonsIn = ([newest, ...earlier]: Awaited<ReturnType<typeof missionTries>>) =>
    whyInHistory(newest, key, earlier);
  const tries = await missionTries(client, mission);
  if (key === "") return reasonsIn(tries);
  // A retry keeps the keys of the mission that it takes over. The last one knows the present state of an effect.
  let last = mission;
  for (let next: string | undefined = mission; next !== undefined; next = await takenOverBy(client, last)) last = next;
  const reasons = last === mission ? [] : reasonsIn(await missionTries(client, last));
  return reasons.length > 0 ? reasons : reasonsIn(tries);
}
