import type { WorkingHours } from "../../src/core/review/policy/working-hours";
import { GROUPS, type InboxAct, type InboxCase, MONTH_MINUTES, PEOPLE } from "./request-case";
import type { Course, CourseEvent } from "./run-request";

/**
 * What must become of a request, minute by minute: a slow model that counts each minute of work on a clock, and shares no
 * code with the reviews of the product. It is the other definition of the rules.
 */
export function modelCourse(one: InboxCase): Course {
  return new MinuteModel(one).course();
}

const MINUTE_MS = 60_000;

interface Vote {
  by: string;
  /** The person whose decision it is. */
  seat: string;
  choice: string;
  groups: string[];
}

class MinuteModel {
  private readonly events: CourseEvent[] = [];
  private readonly works: (minute: number) => boolean;
  private minute: number;
  private ended = false;
  /** Minutes of work since the review was opened, and since the last reminder. */
  private worked = 0;
  private sinceReminder = 0;
  /** The words of those who were notified that they are asked; null = anyone. */
  private asked: string[] | null;
  /** The minute in which each step of the ladder was due. */
  private readonly dueSteps: number[] = [];
  private notifiedSteps = 0;
  private expiredAt: number | null = null;
  private votes: Vote[] = [];
  private comments = 0;
  /** Decisions that were handed over: from, to, and since when. */
  private readonly given = new Map<string, { to: string; minute: number }>();

  constructor(private readonly one: InboxCase) {
    this.minute = one.opened;
    this.asked = one.terms.assignees ?? null;
    this.works = workingMinutes(one.terms.hours, one.begin);
  }

  course(): Course {
    const { outages, acts } = this.one;
    const isOut = () => outages.some(([from, to]) => this.minute >= from && this.minute < to);
    const waiting: InboxAct[] = [];
    let next = 0;
    for (; this.minute <= MONTH_MINUTES; this.minute++) {
      this.count();
      while (next < acts.length && (acts[next] as InboxAct).minute <= this.minute)
        waiting.push(acts[next++] as InboxAct);
      if (isOut()) continue;
      while (waiting[0]?.first) this.act(waiting.shift() as InboxAct);
      if (this.minute === MONTH_MINUTES) break;
      if (!this.ended) this.timer();
      while (waiting.length > 0) this.act(waiting.shift() as InboxAct);
      if (this.ended && next === acts.length) return this.events;
    }
    while (waiting[0]?.first) this.act(waiting.shift() as InboxAct);
    if (!this.ended) this.note("withdrawn", "the end");
    return this.events;
  }

  private note(what: CourseEvent["what"], who: string): void {
    this.events.push({ minute: this.minute, what, who });
  }

  /** What is due in this minute, whether anything runs or not. */
  private count(): void {
    const { terms, opened } = this.one;
    if (this.minute > opened && this.works(this.minute - 1)) {
      this.worked += 1;
      this.sinceReminder += 1;
    }
    if (!this.works(this.minute)) return;
    for (const { after_ms } of (terms.escalate ?? []).slice(this.dueSteps.length))
      if (this.worked * MINUTE_MS >= after_ms) this.dueSteps.push(this.minute);
    if (this.expiredAt === null && this.hasDefault() && this.worked * MINUTE_MS >= (terms.timeout_ms as number))
      this.expiredAt = this.minute;
  }

  private hasDefault(): boolean {
    const { timeout_ms, on_timeout } = this.one.terms;
    return timeout_ms !== undefined && (on_timeout === "approve" || on_timeout === "reject");
  }

  private timer(): void {
    const { terms } = this.one;
    if (this.expiredAt !== null) return this.decide(terms.on_timeout as string, "timer");
    if (!this.works(this.minute)) return;
    if (this.dueSteps.length > this.notifiedSteps) {
      const words = this.wordsOfSteps(this.notifiedSteps);
      const fresh = words.filter((word, i) => words.indexOf(word) === i && !this.asked?.includes(word));
      if (fresh.length > 0) this.note("escalated", fresh.join(", "));
      if (this.asked !== null) this.asked = [...this.asked, ...fresh];
      this.notifiedSteps = this.dueSteps.length;
    }
    if (terms.remind_ms !== undefined && this.sinceReminder * MINUTE_MS >= terms.remind_ms) {
      this.note("reminded", "");
      this.sinceReminder = 0;
    }
  }

  /** The words of the steps that are due, from one on; where names are asked, not those who gave the decision away. */
  private wordsOfSteps(first: number): string[] {
    const steps = (this.one.terms.escalate ?? []).slice(first, this.dueSteps.length);
    return steps.flatMap(({ to }) => to).filter((word) => this.asked === null || !this.isOut(word));
  }

  private decide(choice: string, by: string): void {
    this.ended = true;
    this.note("decided", `${choice} by ${by}`);
  }

  private act(act: InboxAct): void {
    if (act.what === "cancel") {
      if (!this.ended) this.note("withdrawn", "its mission");
      this.ended = true;
      return;
    }
    const isTaken = !this.ended && this.isTaken(act);
    this.note(isTaken ? "taken" : "refused", `${act.by} ${act.what}`);
    const { what } = act;
    if (isTaken && (what === "approve" || what === "reject")) this.afterVote(what);
  }

  private isTaken(act: InboxAct): boolean {
    const { by, what, agent } = act;
    const isPerson = PEOPLE.includes(by) && !agent;
    if (what === "take_back") {
      if (!isPerson || !this.votes.some((vote) => vote.by === by)) return false;
      this.votes = this.votes.filter((vote) => vote.by !== by);
      return true;
    }
    if (this.expiredAt !== null && this.minute > this.expiredAt) return false;
    const { terms } = this.one;
    if (what === "comment") {
      if (!(isPerson || agent) || this.comments === 100) return false;
      this.comments += 1;
      return true;
    }
    const right = isPerson ? this.seatFor(by) : null;
    if (right === null) return false;
    const { seat } = right;
    if (what !== "hand_over") {
      this.votes.push({ by, seat, choice: what, groups: GROUPS.filter((group) => this.standsFor(seat, group)) });
      return true;
    }
    const to = act.to as string;
    if (this.asked === null || terms.hand_over === false) return false;
    if (!right.gives || to === by || this.wordsNow().includes(to) || to === this.separated()) return false;
    const had = this.given.get(seat)?.to;
    const stays = [...this.given].filter(([other]) => other !== seat).map(([, got]) => got.to);
    const leaves = (word: string) => !stays.includes(word) && (word === seat || (word === had && !this.isStep(word)));
    this.asked = [...this.asked.filter((word) => !leaves(word)), to];
    if (to === seat) this.given.delete(seat);
    else this.given.set(seat, { to, minute: this.minute });
    return true;
  }

  /** The person who asked, if they may not decide. */
  private separated(): string | null {
    const { terms, kind, requested_by } = this.one;
    return (terms.separation ?? kind === "approval") ? requested_by : null;
  }

  /** Everybody who may decide in this minute, notified or not; [] = anyone. */
  private wordsNow(): string[] {
    return this.asked === null ? [] : [...this.asked, ...this.wordsOfSteps(this.notifiedSteps)];
  }

  /** Whether a step of the ladder that is due asks for a word. */
  private isStep(word: string): boolean {
    return this.dueSteps.some((_, i) => this.one.terms.escalate?.[i]?.to.includes(word));
  }

  /** Those who may decide, and not only because somebody gave them a decision. */
  private ownWords(): string[] {
    const got = [...this.given.values()].map(({ to }) => to);
    return this.wordsNow().filter((word) => !got.includes(word) || this.isStep(word));
  }

  /** Whose decision somebody can make now, and whether they can give it to others; null = nobody's. */
  private seatFor(by: string): { seat: string; gives: boolean } | null {
    const separated = this.separated();
    if (by === separated || this.votes.some((vote) => vote.by === by)) return null;
    const isFree = (person: string) => !this.isOut(person) && !this.votes.some((vote) => vote.seat === person);
    if (this.asked === null) return isFree(by) ? { seat: by, gives: true } : null;
    const words = this.ownWords();
    const isOf = (person: string, word: string) =>
      word === person || this.isMember(person, word) || this.isLead(person, word);
    const isAsked = (person: string) => words.some((word) => isOf(person, word));
    if (isFree(by) && isAsked(by)) return { seat: by, gives: true };
    const trusting = PEOPLE.filter((person) => person !== by && this.delegates(person, by));
    const others = trusting.filter((person) => person !== separated);
    for (const [seat, { to }] of this.given) {
      if (seat === by || this.votes.some((vote) => vote.seat === seat)) continue;
      const gives = isOf(by, to);
      if (gives || others.some((person) => person !== seat && isOf(person, to)))
        return trusting.length > others.length ? null : { seat, gives };
    }
    const giver = others.find((person) => isFree(person) && isAsked(person));
    return giver === undefined ? null : { seat: giver, gives: false };
  }

  /** Whether somebody decides in a person's place in this minute. */
  private delegates(person: string, by: string): boolean {
    const now = this.one.begin + this.minute * MINUTE_MS;
    const { delegations = [] } = this.one.people.people[person] ?? {};
    return delegations.some(
      ({ to, from, until }) => to === by && !(now < Date.parse(from ?? "1970-01-01")) && now < Date.parse(until),
    );
  }

  private isMember(person: string, word: string): boolean {
    return GROUPS.some((group) => word === `group:${group}` && this.one.people.groups[group]?.members.includes(person));
  }

  private isLead(person: string, word: string): boolean {
    return GROUPS.some((group) => word === `lead:${group}` && this.one.people.groups[group]?.lead === person);
  }

  private standsFor(person: string, group: string): boolean {
    return this.isMember(person, `group:${group}`) || this.isLead(person, `lead:${group}`);
  }

  /** Whether somebody gave the decision away, and did not get it back. */
  private isOut(person: string): boolean {
    const gave = this.given.get(person);
    if (gave === undefined) return false;
    const steps = this.one.terms.escalate ?? [];
    return !this.dueSteps.some((due, i) => due > gave.minute && steps[i]?.to.includes(person));
  }

  private afterVote(choice: string): void {
    const { terms } = this.one;
    const needed = Math.max(terms.quorum ?? 1, terms.distinct_groups ?? 1);
    const same = this.votes.filter((vote) => vote.choice === choice);
    const by = this.votes.at(-1)?.by as string;
    if (same.length >= needed && this.differentGroups(same) >= (terms.distinct_groups ?? 0))
      return this.decide(choice, by);
    if (this.canAgree(needed)) return;
    const isChoice = terms.on_timeout === "approve" || terms.on_timeout === "reject";
    this.decide(isChoice ? (terms.on_timeout as string) : "reject", "quorum");
  }

  /** Every way to let each vote stand for one group is tried. */
  private differentGroups(votes: readonly Vote[]): number {
    const words = this.ownWords();
    const named = GROUPS.filter((group) => words.includes(`group:${group}`) || words.includes(`lead:${group}`));
    const counted = named.length > 0 ? named : GROUPS;
    const most = (left: readonly Vote[], used: readonly string[]): number => {
      const [vote, ...rest] = left;
      if (vote === undefined) return used.length;
      const ways = vote.groups.filter((group) => counted.includes(group) && !used.includes(group));
      return Math.max(most(rest, used), ...ways.map((group) => most(rest, [...used, group])));
    };
    return most(votes, []);
  }

  private canAgree(needed: number): boolean {
    if (this.asked === null || this.notifiedSteps < (this.one.terms.escalate ?? []).length) return true;
    const words = [...new Set([...this.ownWords(), ...this.given.keys()])];
    if (words.some((word) => word.includes(":"))) return true;
    const best = Math.max(
      ...["approve", "reject"].map((one) => this.votes.filter(({ choice }) => choice === one).length),
    );
    const silent = words.filter((name) => name !== this.separated() && !this.votes.some((vote) => vote.seat === name));
    return best + silent.length >= needed;
  }
}

const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const tables = new Map<string, Uint8Array>();

/** Whether each minute of a month is one of work, from what a clock shows in that minute. */
function workingMinutes(hours: WorkingHours | undefined, begin: number): (minute: number) => boolean {
  if (hours === undefined) return () => true;
  const key = JSON.stringify([hours, begin]);
  const known = tables.get(key) ?? tableOf(hours, begin);
  tables.set(key, known);
  return (minute) => known[minute] === 1;
}

function tableOf({ days, from, to, zone }: WorkingHours, begin: number): Uint8Array {
  const options = { timeZone: zone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const clock = new Intl.DateTimeFormat("en-GB", options);
  const table = new Uint8Array(MONTH_MINUTES + 1);
  for (let minute = 0; minute <= MONTH_MINUTES; minute++) {
    const shown = clock.format(begin + minute * MINUTE_MS);
    const day = shown.slice(0, 3).toLowerCase();
    const time = shown.slice(-5);
    const before = DAYS[(DAYS.indexOf(day) + 6) % 7] as string;
    const begins = (days as string[]).includes(day);
    const goesOn = (days as string[]).includes(before);
    const works = from < to ? begins && time >= from && time < to : (begins && time >= from) || (goesOn && time < to);
    table[minute] = works ? 1 : 0;
  }
  return table;
}
