/** Milliseconds, or a text such as "30s". */
export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h` | `${number}d`;

const UNIT_MS: { [unit: string]: number } = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * A duration in milliseconds. One that cannot be read throws what `wrong` makes of the problem; `what` names it there.
 */
export function milliseconds(duration: Duration, what: string, wrong: (problem: string) => Error): number {
  const ms = durationMs(duration);
  if (ms === undefined)
    throw wrong(`${what} must be milliseconds or a text such as "30s", got ${JSON.stringify(duration)}.`);
  return ms;
}

/** A duration in whole milliseconds, greater than 0; undefined when it cannot be read. */
export function durationMs(duration: unknown): number | undefined {
  const text = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration));
  const ms = text ? Math.round(Number(text[1]) * (UNIT_MS[text[2] as string] as number)) : duration;
  return typeof ms === "number" && Number.isInteger(ms) && ms > 0 ? ms : undefined;
}
