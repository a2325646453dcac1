import { bareId, firstTryOf, kindOf, type MissionKind, retryIdOf, tryNumber, workflowIdFor } from "../core/base/ids";
import { isAbsent, NavigatorError } from "../core/base/navigator-error";
import type { MissionHistories } from "../core/history/trace/read-mission";
import { takenOverMission } from "../core/history/trace/takeover";
import { digest, type Intent, intentOfMemo } from "../workflows/start/intent";
import { ask } from "./errors";
import { missionHistories, type ReadingClient } from "./mission-tree";

const MAX_RETRIES = 1_000;

/** The last try of a mission, and the workflow id that the next one gets. */
export interface NewestTry {
  last: string;
  isRunning: boolean;
  next: string;
}

/**
 * The last try of a mission: the mission itself, or the newest of its retries. Each took over the one before, so a
 * further retry continues that one.
 *
 * @param whole the workflow id of the mission, or of one of its retries
 * @throws NavigatorError `not_found`
 */
export async function newestTry(client: ReadingClient, kind: MissionKind, whole: string): Promise<NewestTry> {
  const id = bareId(kind, whole);
  const base = firstTryOf(id);
  let last = whole;
  let isRunning = (await describe(client, whole)).status.name === "RUNNING";
  // A retry that the server has is named: earlier ones may be gone.
  for (let n = tryNumber(id) + 1; n < MAX_RETRIES; n++) {
    const next = workflowIdFor(kind, retryIdOf(base, n), client.project);
    try {
      isRunning = (await describe(client, next)).status.name === "RUNNING";
      last = next;
    } catch (error) {
      if (!isAbsent(error)) throw error;
      return { last, isRunning, next };
    }
  }
  throw new NavigatorError("id_in_use", `"${base}" was tried again ${MAX_RETRIES} times.`);
}

/** The intent that the start of a retry records: whether it continues where the one before ended. */
export const retryIntent = (of: string, afresh: boolean): Intent => ({ retry: digest({ of, afresh }) });

/**
 * The retry that has taken over the work of a mission; undefined: none has, or the server does not know it. For a task
 * in the orchestrator's list this is not known.
 */
export async function takenOverBy(client: ReadingClient, whole: string): Promise<string | undefined> {
  const kind = kindOf(whole);
  if (kind === undefined) return undefined;
  const id = bareId(kind, whole);
  const next = workflowIdFor(kind, retryIdOf(firstTryOf(id), tryNumber(id) + 1), client.project);
  try {
    const { memo } = await describe(client, next);
    const { retry } = retryIntent(whole, false);
    return intentOfMemo(memo)?.retry === retry ? next : undefined;
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw error;
  }
}

/** A mission and those that it has taken over, the newest first. A try that the server does not have any more ends the list. */
export async function missionTries(
  client: ReadingClient,
  workflowId: string,
): Promise<[MissionHistories, ...MissionHistories[]]> {
  const tries: [MissionHistories, ...MissionHistories[]] = [await missionHistories(client, workflowId)];
  let before = takenOverMission(tries[0]);
  while (before !== undefined && tries.length < MAX_RETRIES)
    try {
      const histories = await missionHistories(client, before);
      tries.push(histories);
      before = takenOverMission(histories);
    } catch (error) {
      if (!isAbsent(error)) throw error;
      return tries;
    }
  return tries;
}

const describe = (client: ReadingClient, id: string) => ask(() => client.temporal.workflow.getHandle(id).describe());
