/** How often something may happen at most: once in a day, an hour or a minute of UTC. */
export type Period = "day" | "hour" | "minute";

const CHARS = { day: 10, hour: 13, minute: 16 } as const;

/** `2026-11-21`, `2026-11-21T02` or `2026-11-21T02:30`: the same text for all times of one period. */
export const periodOf = (iso: string, period: Period): string => iso.slice(0, CHARS[period]);
