import { isTimeZone } from "../core/base/iso-time";
import { NavigatorError } from "../core/base/navigator-error";

const MONTHS = "jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec".split(",");
const DAYS = "sun,mon,tue,wed,thu,fri,sat".split(",");

interface Field {
  name: string;
  from: number;
  to: number;
  words?: { list: readonly string[]; first: number };
}

const SECOND: Field = { name: "second", from: 0, to: 59 };
const YEAR: Field = { name: "year", from: 1970, to: 9_999 };
const FIVE: readonly Field[] = [
  { name: "minute", from: 0, to: 59 },
  { name: "hour", from: 0, to: 23 },
  { name: "day of the month", from: 1, to: 31 },
  { name: "month", from: 1, to: 12, words: { list: MONTHS, first: 1 } },
  { name: "day of the week", from: 0, to: 7, words: { list: DAYS, first: 0 } },
];
const FIELDS: { readonly [count: number]: readonly Field[] } = {
  5: FIVE,
  6: [...FIVE, YEAR],
  7: [SECOND, ...FIVE, YEAR],
};
const SHORT = /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \d+(\.\d+)?(s|m|h|d)\S*)$/i;

/** Refuses a timing that the server would refuse, before anything is sent. @throws NavigatorError `invalid_input` */
export function checkTiming({ cron, timezone }: { cron: string; timezone?: string | undefined }): void {
  const wrong = wrongCron(cron);
  if (wrong !== null)
    throw new NavigatorError("invalid_input", `The cron text "${cron}" ${wrong}.`, {
      hint: 'Minute, hour, day of the month, month, day of the week: "0 2 * * *" is every night at two.',
      details: { path: "cron" },
    });
  const unknown = [timezone, zoneOfCron(cron)].find((zone) => zone !== undefined && !isTimeZone(zone));
  if (unknown !== undefined)
    throw new NavigatorError("invalid_input", `There is no time zone "${unknown}".`, {
      hint: "A name of the IANA time zone database, as in Europe/Berlin; UTC when not given.",
      details: { path: "timezone" },
    });
}

/** The zone that a cron text names itself, as in `CRON_TZ=Europe/Berlin 0 2 * * *`. */
export const zoneOfCron = (cron: string): string | undefined => /^\s*(?:CRON_TZ|TZ)=(\S+)/.exec(cron)?.[1];

/** What is wrong with a cron text; null = nothing. A comment and a zone in it are the server's to read. */
function wrongCron(cron: string): string | null {
  const text = cron
    .replace(/#.*/, "")
    .replace(/^\s*(CRON_TZ|TZ)=\S+/, "")
    .trim();
  if (SHORT.test(text)) return null;
  const parts = text.split(/\s+/);
  const fields = FIELDS[parts.length];
  if (fields === undefined) return "must have 5 fields (6 with the year, 7 with seconds and the year)";
  const at = fields.findIndex((field, index) => !fitsField(parts[index] as string, field));
  return at < 0 ? null : `has "${parts[at]}" as the ${fields[at]?.name}`;
}

const fitsField = (text: string, field: Field): boolean => text.split(",").every((item) => fitsItem(item, field));

function fitsItem(item: string, field: Field): boolean {
  const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(item) ?? [];
  if (step !== undefined && Number(step) < 1) return false;
  if (range === "*" || range === "?") return true;
  const ends = range.split("-").map((end) => numberIn(end, field));
  const [from, to = from] = ends;
  return ends.length <= 2 && from !== undefined && to !== undefined && !ends.includes(undefined) && from <= to;
}

function numberIn(text: string, { from, to, words }: Field): number | undefined {
  const word = words?.list.findIndex((one) => text.toLowerCase().startsWith(one)) ?? -1;
  const value = word >= 0 ? word + (words?.first ?? 0) : /^\d+$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value >= from && value <= to ? value : undefined;
}
