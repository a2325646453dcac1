import { type Failure, failed } from "../../base/failure";
import { isoTime } from "../../base/iso-time";

/**
 * Whether the time in a signature fits (approvals reference, section 4). It is the time of the signer's machine, and all
 * others here are the server's: those of workflows. A worker's clock has no part in it.
 */

/** How fast the signer's clock may be. */
const MAX_EARLY_MS = 5 * 60_000;
/** How slow it may be: a question may be decided as soon as it is asked. */
const MAX_LATE_MS = 10_000;

/** When a question was asked, and how long an approval of its call counts. */
export interface AskedAt {
  asked_at: number;
  /** Of a review about a call: the choice that approves it, and how long that counts. */
  approval?: { choice: string; valid_for_ms: number };
}

/** The moment of the server at which decisions came, ms since 1970, and the questions that they answer; null: none is known. */
export interface DecisionMoment {
  now: number;
  asked: (AskedAt | null)[];
}

/** The part of a review that shows when it was asked. */
interface Asked {
  createdAt: number;
  sealed?: { valid_for_ms: number } | undefined;
  editable?: { choice: string } | undefined;
}

/** When a review was asked, by the clock of workflows. */
export const momentOfReview = ({ createdAt, sealed, editable }: Asked): AskedAt =>
  sealed === undefined || editable === undefined
    ? { asked_at: createdAt }
    : { asked_at: createdAt, approval: { choice: editable.choice, valid_for_ms: sealed.valid_for_ms } };

/**
 * Why a signature does not count at a time of the server; null if it does. Reasons: `bad_signature` for a clock that is off,
 * `approval_expired` for an approval that no call could use any more.
 */
export function signingTimeProblem(
  { time, choice, by }: { time?: number | undefined; choice: string; by: string },
  nowMs: number,
  asked: AskedAt | null,
): Failure | null {
  if (time === undefined) return null;
  const clockOff = (difference_ms: number, what: string) =>
    failed("bad_signature", `The decision of "${by}" was signed at ${isoTime(time)}, ${what}. ${SET_CLOCK}`, {
      difference_ms,
      signed_at: time,
      server_time: nowMs,
    }).fail;
  const early = time - nowMs;
  if (early > MAX_EARLY_MS)
    return clockOff(early, `which is not yet: by the server it is ${isoTime(nowMs)}, ${roughly(early)} earlier`);
  if (asked === null) return null;
  const { asked_at, approval } = asked;
  if (asked_at - time > MAX_LATE_MS)
    return clockOff(time - asked_at, `${roughly(asked_at - time)} before its question was asked, by the server`);
  const age = nowMs - time;
  if (choice !== approval?.choice || age <= Math.max(approval.valid_for_ms, MAX_LATE_MS)) return null;
  const { valid_for_ms } = approval;
  return failed(
    "approval_expired",
    `The decision of "${by}" was signed at ${isoTime(time)}, ${roughly(age)} before it came, by the server; an approval of this call counts for ${roughly(valid_for_ms)}. Decide again. If you have decided just now: ${SET_CLOCK}`,
    { difference_ms: -age, valid_for_ms, signed_at: time, server_time: nowMs },
  ).fail;
}

const SET_CLOCK = "Set the clock of the machine that signs (NTP), and decide again.";

/** `12 min`: people compare it with a clock on the wall. */
function roughly(ms: number): string {
  const s = Math.round(ms / 1_000);
  if (s < 120) return `${s} s`;
  return s < 7_200 ? `${Math.round(s / 60)} min` : `${Math.round(s / 3_600)} h`;
}
