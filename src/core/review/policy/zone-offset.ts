/**
 * The offsets of time zones, from the time zone data of JavaScript itself. Its formatter is slow, so its result is cached
 * for each zone and each day. These values are the same in every run, so workflows may share them.
 */

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Days kept for one zone: some years. */
const MAX_DAYS = 5_000;

/** A time in which a zone has one offset, ms since 1970; `to` is not part of it. */
export interface OffsetSpan {
  from: number;
  to: number;
  /** What is added to UTC, ms. */
  offset: number;
}

interface Zone {
  format: ReturnType<typeof clockOf>;
  days: Map<number, OffsetSpan[]>;
}

const zones = new Map<string, Zone>();

/** Whether a text is the name of an IANA time zone that is known here. */
export function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return false;
  try {
    zoneOf(name);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The offsets of a zone in the UTC day that begins at `day` * 24 h: one, or two where the clocks change. */
export function offsetsOfDay(name: string, day: number): readonly OffsetSpan[] {
  const zone = zoneOf(name);
  const known = zone.days.get(day);
  if (known !== undefined) return known;
  if (zone.days.size >= MAX_DAYS) zone.days.clear();
  const from = day * DAY_MS;
  const to = from + DAY_MS;
  const before = offsetAt(zone, from);
  const after = offsetAt(zone, to);
  const change = before === after ? to : changeBetween(zone, from, to, before);
  const spans = [{ from, to: change, offset: before }];
  if (change < to) spans.push({ from: change, to, offset: after });
  zone.days.set(day, spans);
  return spans;
}

/** The first whole second with another offset. */
function changeBetween(zone: Zone, from: number, to: number, before: number): number {
  let [low, high] = [from / 1_000, to / 1_000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(zone, middle * 1_000) === before) low = middle;
    else high = middle;
  }
  return high * 1_000;
}

function zoneOf(name: string): Zone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const format = clockOf(name);
  const zone = { format, days: new Map<number, OffsetSpan[]>() };
  zones.set(name, zone);
  return zone;
}

/**
 * Shows times as the clocks of a zone do. Only numbers are read from it, and what follows from them is kept in reviews: a
 * replay differs only where a newer version has other rules for the zone at that time.
 */
function clockOf(timeZone: string) {
  const number = "2-digit" as const;
  // biome-ignore lint/style/noRestrictedGlobals: nothing else knows the rules of time zones
  return new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    ...{ month: number, day: number, hour: number, minute: number, second: number },
  });
}

/** At a whole second. */
function offsetAt({ format }: Zone, ms: number): number {
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const number = (type: "year" | "month" | "day" | "hour" | "minute" | "second") => Number(parts.get(type));
  const year = parts.get("era") === "BC" ? 1 - number("year") : number("year");
  return Date.UTC(year, number("month") - 1, number("day"), number("hour"), number("minute"), number("second")) - ms;
}
