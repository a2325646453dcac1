import type { PeopleFile } from "../../src/core/review/people/people-file";
import type { ReviewTerms } from "../../src/core/review/policy/terms";
import type { WorkingHours } from "../../src/core/review/policy/working-hours";
import type { Random } from "../frame/random";

/** A request, the people, and what happens in a month. Times are minutes since `begin`, so that a slow model can count them. */
export interface InboxCase {
  /** Ms since 1970, a whole minute. */
  begin: number;
  people: PeopleFile;
  terms: ReviewTerms;
  kind: "approval" | "question";
  requested_by: string | null;
  /** The minute at which the review is opened. */
  opened: number;
  acts: InboxAct[];
  /** Minutes in which nothing runs: [from, to), in order, never two in touch. */
  outages: [from: number, to: number][];
  /** The state goes through JSON at every so many steps. */
  restart_every: number;
}

/** What somebody does. */
export interface InboxAct {
  minute: number;
  by: string;
  what: "approve" | "reject" | "comment" | "hand_over" | "take_back" | "cancel";
  /** Of a hand-over. */
  to?: string;
  /** An agent, and no person. */
  agent?: true;
  /** Before what is due in the same minute, and not after it. */
  first: boolean;
}

export const MONTH_MINUTES = 31 * 24 * 60;
const HOUR = 60;
const DAY = 24 * HOUR;
const MINUTE_MS = 60_000;

export const PEOPLE = ["anna", "ben", "cleo", "dora", "emil", "fay", "gus", "hana"];
export const GROUPS = ["finance", "legal", "ops"];
/** A person that nobody knows. */
export const STRANGER = "mallory";

/** Months in which the clocks change in Europe, in America, in Australia, and one in which they do not. */
const BEGINS = ["2026-03-02", "2026-10-12", "2026-03-28", "2026-06-01"].map((day) => Date.parse(`${day}T00:00:00Z`));

const WEEK: WorkingHours["days"] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const HOURS: readonly WorkingHours[] = [
  { days: WEEK.slice(0, 5), from: "09:00", to: "17:00", zone: "Europe/Berlin" },
  { days: WEEK.slice(0, 5), from: "08:30", to: "16:45", zone: "America/New_York" },
  { days: WEEK.slice(0, 4), from: "10:00", to: "18:00", zone: "Asia/Kolkata" },
  { days: ["sat", "sun"], from: "22:00", to: "06:00", zone: "Europe/Berlin" },
  { days: WEEK, from: "01:30", to: "03:30", zone: "Europe/Berlin" },
  { days: WEEK.slice(0, 6), from: "00:00", to: "24:00", zone: "Australia/Lord_Howe" },
];

export function inboxCase(random: Random): InboxCase {
  const begin = random.pick(BEGINS);
  const people = peopleOf(random, begin);
  const opened = random.int(0, 5 * DAY);
  return {
    begin,
    people,
    terms: termsOf(random),
    kind: random.chance(0.85) ? "approval" : "question",
    requested_by: random.chance(0.6) ? random.pick(PEOPLE) : null,
    opened,
    acts: actsOf(random, opened),
    outages: outagesOf(random),
    restart_every: random.int(1, 6),
  };
}

function peopleOf(random: Random, begin: number): PeopleFile {
  const iso = (minute: number) => new Date(begin + minute * MINUTE_MS).toISOString();
  const people = Object.fromEntries(
    PEOPLE.map((name) => {
      const delegations = random.list(random.chance(0.3) ? random.int(1, 2) : 0, () => {
        const from = random.int(0, 20 * DAY);
        const to = random.pick(PEOPLE.filter((other) => other !== name));
        return { to, ...(random.chance(0.7) ? { from: iso(from) } : {}), until: iso(from + random.int(1, 12 * DAY)) };
      });
      return [name, { keys: [], delegations }];
    }),
  );
  const groups = Object.fromEntries(
    GROUPS.map((group) => {
      const members = random.shuffled(PEOPLE).slice(0, random.int(2, 4));
      return [group, { members, ...(random.chance(0.8) ? { lead: random.pick(PEOPLE) } : {}) }];
    }),
  );
  return { people, groups, services: {}, policy: {} };
}

function word(random: Random): string {
  const kind = random.next();
  if (kind < 0.5) return random.pick(PEOPLE);
  return `${kind < 0.8 ? "group" : "lead"}:${random.pick(GROUPS)}`;
}

const words = (random: Random, count: number): string[] => [...new Set(random.list(count, () => word(random)))];

/** A duration that is a whole number of minutes. */
const minutes = (random: Random, from: number, to: number): number => random.int(from, to) * MINUTE_MS;

function termsOf(random: Random): ReviewTerms {
  const escalate = random
    .list(random.chance(0.6) ? random.int(1, 3) : 0, () => minutes(random, 5, 5 * DAY))
    .sort((a, b) => a - b)
    .filter((time, i, all) => time !== all[i - 1])
    .map((after_ms) => ({ after_ms, to: words(random, random.int(1, 2)) }));
  return {
    ...(random.chance(0.85) ? { assignees: words(random, random.int(1, 4)) } : {}),
    ...(random.chance(0.45) ? { quorum: random.int(2, 3) } : {}),
    ...(random.chance(0.3) ? { distinct_groups: random.int(2, 3) } : {}),
    ...(random.chance(0.2) ? { separation: random.chance(0.5) } : {}),
    ...(escalate.length > 0 ? { escalate } : {}),
    ...(random.chance(0.7) ? { hours: random.pick(HOURS) } : {}),
    ...(random.chance(0.6) ? { remind_ms: minutes(random, 3 * HOUR, 3 * DAY) } : {}),
    ...(random.chance(0.6)
      ? {
          timeout_ms: minutes(random, 30, 8 * DAY),
          on_timeout: random.chance(0.9) ? random.pick(["approve", "reject"]) : "no-such-choice",
        }
      : {}),
    ...(random.chance(0.1) ? { hand_over: false } : {}),
  };
}

function actsOf(random: Random, opened: number): InboxAct[] {
  const acts = random.list(random.int(0, 14), (): InboxAct => {
    const kind = random.next();
    const what =
      kind < 0.35
        ? "approve"
        : kind < 0.5
          ? "reject"
          : kind < 0.65
            ? "comment"
            : kind < 0.85
              ? "hand_over"
              : kind < 0.98
                ? "take_back"
                : "cancel";
    const who = random.next();
    return {
      // Most of it happens in the first days.
      minute: Math.min(MONTH_MINUTES - 1, opened + Math.floor(random.next() ** 2 * 12 * DAY)),
      by: who < 0.92 ? random.pick(PEOPLE) : STRANGER,
      what,
      ...(what === "hand_over" ? { to: word(random) } : {}),
      ...(who > 0.87 && who < 0.92 ? { agent: true as const } : {}),
      first: random.chance(0.5),
    };
  });
  return acts.sort((a, b) => a.minute - b.minute || Number(b.first) - Number(a.first));
}

function outagesOf(random: Random): [number, number][] {
  const outages: [number, number][] = [];
  let minute = 0;
  for (let i = random.chance(0.4) ? random.int(1, 3) : 0; i > 0; i--) {
    const from = minute + random.int(1, 8 * DAY);
    minute = from + random.int(1, 3 * DAY);
    outages.push([from, minute]);
  }
  return outages;
}
