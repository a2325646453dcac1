import { isObject } from "../is-object";

/** Who pauses or resumes a mission or a plan, and why (engine reference, section 15). */
export interface PauseRequest {
  by: string;
  note?: string | undefined;
}

/** A pause: who paused the run, why, and when (ms since 1970). */
export interface Paused extends PauseRequest {
  at: number;
}

/** The pauses that a run passes on when it continues as new: its own, and that of the run above it. */
export interface ContinuedPause {
  own?: Paused;
  above?: Paused;
}

/** Field of the memo with the pause, so that lists and pages show it without a worker; null: it was resumed. */
export const PAUSED_MEMO = "paused";

/** The pause in a memo; undefined: none. */
export function pausedInMemo(memo: { readonly [field: string]: unknown } | undefined): Paused | undefined {
  const pause = memo?.[PAUSED_MEMO];
  return isObject(pause) && typeof pause.by === "string" && typeof pause.at === "number"
    ? (pause as unknown as Paused)
    : undefined;
}

/** `by anna: the customer called` */
export const pausedText = ({ by, note }: Pick<Paused, "by" | "note">): string =>
  note === undefined || note === "" ? `by ${by}` : `by ${by}: ${note}`;
