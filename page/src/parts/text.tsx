import { useEffect, useState } from "preact/hooks";

/** Times and amounts as people read them, in the reader's own zone and language. */

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** The whole time, with its zone in the title. */
export function Time({ at }: { at: number }) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date().toDateString();
  return (
    <time dateTime={date.toISOString()} title={date.toISOString()}>
      {(isToday ? TIME : DATE_TIME).format(date)}
    </time>
  );
}

/** `4 min`, and so on, which counts on while it is shown. */
export function Age({ since, until }: { since: number; until?: number | undefined }) {
  const now = useNow(until === undefined);
  return (
    <time dateTime={new Date(since).toISOString()} title={DATE_TIME.format(since)}>
      {durationText((until ?? now) - since)}
    </time>
  );
}

/** The present time, again each second if it runs. */
export function useNow(isRunning = true): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isRunning]);
  return now;
}

const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
] as const;

/** The two largest units: `2 h 5 min`, `12 s`, `85 ms`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const parts: string[] = [];
  let rest = ms;
  for (const [unit, length] of UNITS) {
    const n = Math.floor(rest / length);
    rest -= n * length;
    if (n > 0 || parts.length > 0) parts.push(`${n} ${unit}`);
    if (parts.length === 2) break;
  }
  return parts.filter((part) => !part.startsWith("0 ")).join(" ");
}

/** US dollars: small amounts are the rule. */
export function moneyText(dollars: number): string {
  const digits = dollars === 0 || dollars >= 1 ? 2 : dollars >= 0.01 ? 3 : 5;
  return `$${dollars.toFixed(digits)}`;
}

export const countText = (n: number): string => n.toLocaleString();
