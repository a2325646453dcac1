import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { JournalDecision } from "../../core/journal/decision-input";
import type { RecordView } from "../../core/journal/view";
import type { PrivateKey } from "../../node/identity/keys";
import type { NavigatorClient } from "../client";
import type { AgentHandle } from "../handles";

/**
 * Records a decision at once if a worker answers. Otherwise the decision is sent as a signal, which waits for a worker: a waiting
 * mission often has none.
 *
 * @param asSignal a worker is not asked
 * @param updateId the same id again is the same decision
 * @returns the record; null: it was sent, and nobody has answered
 * @throws NavigatorError `already_exists`, `not_found`, `wrong_kind`, and the refusals of the mission
 */
export async function recordOrSignal(
  client: NavigatorClient,
  handle: AgentHandle,
  decision: JournalDecision,
  { key = null, asSignal = false, updateId }: { key?: PrivateKey | null; asSignal?: boolean; updateId?: string },
): Promise<RecordView | null> {
  const signing = key === null ? {} : { key };
  if (!asSignal && (await isServed(client, handle)))
    return handle.recordDecision(decision, { ...signing, ...defined({ updateId }) });
  await refuseReplacing(handle, decision);
  await handle.signalDecision(decision, signing);
  return null;
}

/** The time in which a worker must answer. The signal needs the rest of the caller's time. */
const SERVED_MS = 4_000;

async function isServed(client: NavigatorClient, handle: AgentHandle): Promise<boolean> {
  try {
    await client.temporal.withDeadline(Date.now() + SERVED_MS, () => handle.status());
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === "no_worker") return false;
    throw error;
  }
}

/** A mission only counts a bad signal. So a decision that its history shows to be bad is refused here. */
async function refuseReplacing(handle: AgentHandle, { id, overwrite }: JournalDecision): Promise<void> {
  const { rows } = await handle.projection();
  const row = rows.find((one) => one.id === id);
  // The mission knows whether an effect made the nil that a row shows.
  if (row && !overwrite && row.value !== null)
    throw new NavigatorError("already_exists", `"${id}" is already recorded (by ${row.by}): ${row.text}.`, {
      hint: "Add --overwrite to replace it.",
      details: { path: id, kind: "record" },
    });
}
