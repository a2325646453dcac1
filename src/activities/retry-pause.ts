/**
 * The pause before the next attempt of an activity, as somebody else wants it: a provider, a receiver, a tool. Temporal takes a
 * pause of 0 for "no further attempt", so 0 leaves it to the activity's own rule.
 *
 * @param wanted_ms undefined: nobody has asked for one
 */
export const retryPause = (wanted_ms: number | undefined): { nextRetryDelay?: number } =>
  wanted_ms === undefined || wanted_ms <= 0 ? {} : { nextRetryDelay: wanted_ms };
