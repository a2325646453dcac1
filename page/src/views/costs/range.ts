/** The time that costs are shown for, as the address has it: `?days=30`, or `?from=2026-11-01&to=2026-11-25`. */
export interface CostRange {
  /** Ms since 1970: the begin of a day in the reader's zone. */
  from: number;
  /** Ms since 1970: the end of the last day. */
  to: number;
  /** Up to now; undefined: from one day to another. */
  days?: number;
}

export const DAYS = [1, 7, 30, 90] as const;
const DEFAULT_DAYS = 30;
const MAX_DAYS = 3_660;

/** Wrong dates in the address are as none. */
export function rangeOf(query: URLSearchParams, now: number): CostRange {
  const [first, last] = [dayStart(query.get("from")), dayStart(query.get("to"))];
  if (first !== undefined && last !== undefined && first <= last) return { from: first, to: nextDay(last, 1) };
  const given = Number(query.get("days") ?? DEFAULT_DAYS);
  const days = Number.isInteger(given) && given >= 1 && given <= MAX_DAYS ? given : DEFAULT_DAYS;
  const tomorrow = nextDay(startOf(now), 1);
  return { from: nextDay(tomorrow, -days), to: tomorrow, days };
}

/** `2026-11-25` as ms since 1970, in the reader's zone. */
export function dayStart(day: string | null): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  if (year === undefined) return undefined;
  const at = new Date(Number(year), Number(month) - 1, Number(date)).getTime();
  return Number.isNaN(at) || dayText(at) !== day ? undefined : at;
}

/** The day of a time in the reader's zone: `2026-11-25`. */
export function dayText(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** All days of a range, as `dayText`. */
export function daysOf({ from, to }: CostRange): string[] {
  const days: string[] = [];
  for (let at = from; at < to && days.length < MAX_DAYS; at = nextDay(at, 1)) days.push(dayText(at));
  return days;
}

function startOf(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}

/** A day has 23 to 25 hours. */
function nextDay(start: number, days: number): number {
  const date = new Date(start);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() + days).getTime();
}
