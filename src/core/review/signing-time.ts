import { type Failure, failed } from "../base/failure";
import { isoTime } from "../base/iso-time";
import type { Decision } from "./decision-input";
import { APPROVE } from "./kinds/approval";
import type { Review } from "./review-schema";

/**
 * Whether the time in a signature fits (approvals reference, section 4). It is the time of the signer's machine, and all
 * others here are the server's: those of workflows. A worker's clock has no part in it.
 */

/** How far the signer's clock may be ahead of the server. */
const MAX_AHEAD_MS = 5 * 60_000;
/** How far it may be behind: a question may be decided as soon as it is asked. */
const MAX_BEHIND_MS = 10_000;

/** When a question was asked, and how long an approval of its call counts. */
export interface AskedAt {
  asked_at: number;
  valid_for_ms?: number;
}

/** The moment of the server at which decisions came, ms since 1970, and the questions that they answer; null: none is known. */
export interface DecisionMoment {
  now: number;
  asked: (AskedAt | null)[];
}

export const askedAt = ({ createdAt, sealed }: Review): AskedAt =>
  sealed === undefined ? { asked_at: createdAt } : { asked_at: createdAt, valid_for_ms: sealed.valid_for_ms };

/**
 * Why a signature does not count at a time of the server; null if it does. Reasons: `bad_signature` for a clock that is off,
 * `approval_expired` for an approval that no call could use any more.
 */
export function signingTimeProblem(
  { time, choice, by }: Pick<Decision, "time" | "choice" | "by">,
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
  const ahead = time - nowMs;
  if (ahead > MAX_AHEAD_MS)
    return clockOff(ahead, `which is not yet: by the server it is ${isoTime(nowMs)}, ${roughly(ahead)} earlier`);
  if (asked === null) return null;
  const { asked_at, valid_for_ms } = asked;
  if (asked_at - time > MAX_BEHIND_MS)
    return clockOff(time - asked_at, `${roughly(asked_at - time)} before its question was asked, by the server`);
  const age = nowMs - time;
  if (choice !== APPROVE || valid_for_ms === undefined || age <= Math.max(valid_for_ms, MAX_BEHIND_MS)) return null;
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
