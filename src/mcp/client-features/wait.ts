import { delay } from "../../node/delay";
import { type Call, LONGEST_CALL_MS } from "../context/tool";

const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 2_000;
/** Reserved for the last look and the answer. */
const RESERVE_MS = 3_000;

/**
 * Polls until there is a result, the time is over (null), or the client has cancelled the call. The awaited work
 * continues in each case.
 *
 * @param waitMs the maximum time; never longer than a call may take
 */
export async function pollUntil<T>(
  call: Pick<Call, "extra">,
  waitMs: number,
  look: () => Promise<T | null>,
): Promise<T | null> {
  const end = Date.now() + Math.min(waitMs, LONGEST_CALL_MS - RESERVE_MS);
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 1.5, LONGEST_PAUSE_MS)) {
    const found = await look();
    if (found !== null || call.extra.signal.aborted) return found;
    const left = end - Date.now();
    if (left <= 0) return null;
    await delay(Math.min(wait, left), call.extra.signal).catch(() => {});
  }
}
