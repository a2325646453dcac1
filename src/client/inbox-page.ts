import { canonical } from "../core/base/canonical";
import { defined } from "../core/base/defined";
import { workflowIdIn } from "../core/base/ids";
import { NavigatorError } from "../core/base/navigator-error";
import { ATTRIBUTE } from "../core/base/search-attributes";
import { ANYONE, MORE_ASSIGNEES } from "../core/review/inbox/inbox-entry";
import { type Decider, type InboxFilter, type InboxItem, isListed } from "../core/review/inbox/inbox-item";
import { INBOX_KINDS, type InboxKind } from "../core/review/inbox/inbox-kind";
import { groupWord, leadWord } from "../core/review/people/authority";
import { ask } from "./errors";
import {
  askedAt,
  type InboxPlace,
  itemsOf,
  type KnownWorkflow,
  listKnown,
  RUNNING,
  type Unanswered,
  Worker,
} from "./inbox";
import { atOrBelow, inProject } from "./listing/project-filter";

/**
 * The inbox, page by page, the oldest first, from Visibility and memo alone (approvals reference, section 7). An SQL
 * store lists by the start of workflows, newest first, and takes no other order. So a page is a period of time. The
 * client counts the workflows that wait since a time in it, which is cheap, until the period has about a page.
 */

/** What the inbox is narrowed to, and which page of it. */
export interface InboxListOptions {
  /** `next` of the page before. */
  page?: string;
  /** Items of a page, 1 to 1000 (default 50). Those of one workflow stay together, so it may be a few more. */
  size?: number;
  /** One of these words is an assignee: `anna`, `group:finance`, `anyone` for what names nobody. */
  assignee?: string | string[];
  /** A group is an assignee, or the one who leads it. */
  group?: string;
  /** Only what this person may decide now: what they have voted on is left out. `authority` has what they stand for. */
  decider?: Decider;
  kind?: InboxKind;
  /** It has been waiting this long, in ms. */
  older_than_ms?: number;
  /** Something happens to it within this time, in ms: a reminder, a step of the ladder, its end. */
  due_within_ms?: number;
  /** The workflow id of a mission, with all runs below it. */
  mission?: string;
  /** The title, the body, the id or the workflow has this text, in any case. */
  text?: string;
}

/** A page of the inbox. */
export interface InboxPage {
  items: InboxItem[];
  /** For the next page; absent = this is the last one. A page with `next` may have no items, if few fit the filter. */
  next?: string;
  /** With the first page: the number of workflows with something that waits. Not known for a filter by decider, kind or text. */
  total?: number;
  /** Workflows of the page with more open reviews than their memo has, and that could not be asked for the others. */
  unanswered: Unanswered[];
}

const SIZE = 50;
const MAX_SIZE = 1_000;
/** Workflows that are looked at for one page, if a filter takes most of them away. */
const MAX_LOOKED_AT = 2_000;

/** @throws NavigatorError `invalid_input` for a wrong size, kind or page */
export async function readInboxPage(place: InboxPlace, options: InboxListOptions): Promise<InboxPage> {
  const { size = SIZE } = options;
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE)
    throw new NavigatorError("invalid_input", `A page of the inbox has 1 to ${MAX_SIZE} items, not ${size}.`, {
      details: { path: "size" },
    });
  const now = Date.now();
  const filter = filterOf(options, now);
  const among = amongOf(place, options, filter);
  const from = options.page === undefined ? undefined : readToken(options.page, options);
  const reader = new PageReader(place, among, filter, now, (filter.asked_before ?? now + FUTURE_MS) + 1);
  const isExact = filter.decider === undefined && filter.kind === undefined && filter.text === undefined;
  const isCounted = from === undefined && isExact;
  const [{ items, unanswered, next }, total] = await Promise.all([
    reader.from(from ?? START, size),
    isCounted ? reader.total() : undefined,
  ]);
  return {
    items,
    ...(next === null ? {} : { next: tokenOf(next, options) }),
    ...defined({ total }),
    unanswered,
  };
}

/** How many workflows have open reviews, as the first page counts them: they are counted, and none is listed. */
export function countInbox(
  place: InboxPlace,
  options: Pick<InboxListOptions, "assignee" | "group" | "mission" | "older_than_ms" | "due_within_ms"> = {},
): Promise<number> {
  const now = Date.now();
  const filter = filterOf(options, now);
  const end = (filter.asked_before ?? now + FUTURE_MS) + 1;
  return new PageReader(place, amongOf(place, options, filter), filter, now, end).total();
}

/** The clocks of a server and of this machine may differ. */
const FUTURE_MS = 24 * 60 * 60 * 1_000;

function filterOf(options: InboxListOptions, now: number): InboxFilter {
  const { assignee, group, decider, kind, older_than_ms, due_within_ms, text } = options;
  if (kind !== undefined && !INBOX_KINDS.includes(kind))
    throw new NavigatorError("invalid_input", `There is no kind "${kind}" in the inbox.`, {
      hint: `Kinds: ${INBOX_KINDS.join(", ")}`,
      details: { path: "kind" },
    });
  const words = [
    ...(assignee === undefined ? [] : [assignee].flat()),
    ...(group === undefined ? [] : [groupWord(group), leadWord(group)]),
  ];
  return defined({
    assignees: words.length === 0 ? undefined : words,
    decider,
    kind,
    asked_before: older_than_ms === undefined ? undefined : now - older_than_ms,
    due_before: due_within_ms === undefined ? undefined : now + due_within_ms,
    text,
  });
}

/** The part of the filter that Visibility can do. */
function amongOf(
  { project }: InboxPlace,
  { mission }: InboxListOptions,
  { assignees, decider, due_before }: InboxFilter,
): string {
  const whose = mission === undefined ? inProject(project) : atOrBelow(workflowIdIn(project, mission));
  const among = (words: readonly string[]) =>
    `${ATTRIBUTE.assignees} IN (${[...words, MORE_ASSIGNEES].map((word) => JSON.stringify(word)).join(", ")})`;
  const asked = [assignees, decider && wordsOfDecider(decider)].flatMap((words) => (words ? [among(words)] : []));
  const due = due_before === undefined ? [] : [`${ATTRIBUTE.reviewDue} <= ${time(due_before)}`];
  return [RUNNING, whose, ...asked, ...due].join(" AND ");
}

const wordsOfDecider = ({ authority: { own, delegated } }: Decider): string[] => [
  ...new Set([...own, ...delegated.map(({ word }) => word), ANYONE]),
];

const time = (ms: number): string => JSON.stringify(new Date(ms).toISOString());

/** A place in the list: after this workflow, of those whose first question is of this time. */
interface Place {
  at: number;
  workflow_id: string;
  /** The time that the page before spans, in ms: the next one is probably alike. */
  span: number;
}

const START: Place = { at: 0, workflow_id: "", span: 0 };

/** Reads periods of the list. */
class PageReader {
  private readonly worker: Worker;

  constructor(
    private readonly place: InboxPlace,
    private readonly among: string,
    private readonly filter: InboxFilter,
    private readonly now: number,
    /** What was asked at this time or later is not listed. */
    private readonly end: number,
  ) {
    this.worker = new Worker(place.temporal);
  }

  total(): Promise<number> {
    return this.count(0, this.end);
  }

  /** The items from a place on, and the place where the next page begins; null = this was all. */
  async from(
    start: Place,
    size: number,
  ): Promise<{ items: InboxItem[]; unanswered: Unanswered[]; next: Place | null }> {
    const items: InboxItem[] = [];
    const unanswered: Unanswered[] = [];
    let place = start;
    let looked = 0;
    let began = start.at;
    for (;;) {
      const { found, until } = await this.period(place, size);
      if (began === 0) began = found[0]?.at ?? 0;
      for (const one of found) {
        const inRow = await itemsOf(one.known, this.worker);
        items.push(...inRow.items.filter((item) => isListed(item, this.filter, this.now)).sort(byAge));
        unanswered.push(...inRow.unanswered);
        looked += 1;
        place = { at: one.at, workflow_id: one.known.workflowId, span: spanFrom(began, one.at) };
        if (items.length < size && looked < MAX_LOOKED_AT) continue;
        const isLast = until >= this.end && one === found.at(-1);
        return { items, unanswered, next: isLast ? null : place };
      }
      if (until >= this.end) return { items, unanswered, next: null };
      place = { at: until, workflow_id: "", span: spanFrom(began, until) };
    }
  }

  /** The next workflows in order: all whose first question is before `until`. */
  private async period(place: Place, size: number): Promise<{ found: Dated[]; until: number }> {
    const until = await this.endOfPeriod(place, size);
    const listed = await listKnown(this.place.temporal, this.query(place.at, until));
    const found = listed
      .map((known) => ({ known, at: askedAt(known) }))
      .filter((one) => isAfter(one, place))
      .sort((a, b) => a.at - b.at || (a.known.workflowId < b.known.workflowId ? -1 : 1));
    return { found, until };
  }

  /**
   * The end of a period of time that begins at a place and has at least `size` workflows, and not many times as many.
   */
  private async endOfPeriod({ at, span }: Place, size: number): Promise<number> {
    const few = size + 1;
    const many = Math.max(2 * size, 100);
    let short = at;
    let long = this.end;
    if (span > 0 && at + span < long) {
      const found = await this.count(at, at + span);
      if (found >= few && found <= many) return at + span;
      if (found < few) short = at + span;
      else long = at + span;
    }
    if (long === this.end && (await this.count(at, long)) <= many) return long;
    // Ages are seen from now: at the distance of a day, minutes are too small for the comparison.
    const scale = Math.min(this.now, this.end);
    if (short < scale && scale < long) {
      const found = await this.count(at, scale);
      if (found >= few && found <= many) return scale;
      if (found < few) short = scale;
      else long = scale;
    }
    // Most wait for minutes, and some for months: the age is halved on a scale of powers.
    while (long - short > 1) {
      const middle = middleOf(short, long, long <= scale ? scale : this.end);
      const found = await this.count(at, middle);
      if (found >= few && found <= many) return middle;
      if (found < few) short = middle;
      else long = middle;
    }
    return long;
  }

  private query(from: number, until: number): string {
    return `${this.among} AND ${ATTRIBUTE.askedAt} >= ${time(from)} AND ${ATTRIBUTE.askedAt} < ${time(until)}`;
  }

  private async count(from: number, until: number): Promise<number> {
    return (await ask(() => this.place.temporal.workflow.count(this.query(from, until)))).count;
  }
}

interface Dated {
  known: KnownWorkflow;
  /** Its first question, ms since 1970. */
  at: number;
}

const isAfter = ({ known, at }: Dated, place: Place): boolean =>
  at > place.at || (at === place.at && known.workflowId > place.workflow_id);

const byAge = (a: InboxItem, b: InboxItem): number => a.since - b.since;

/** The next page is probably as long as this one, and should not be looked for twice. */
const spanFrom = (began: number, end: number): number => (began === 0 ? 0 : Math.ceil(1.3 * Math.max(1, end - began)));

/** A time between two, in the middle of their ages on a scale of powers. */
function middleOf(short: number, long: number, end: number): number {
  const age = Math.sqrt((end - short) * Math.max(1, end - long));
  return Math.min(long - 1, Math.max(short + 1, Math.round(end - age)));
}

/** A page belongs to its filter: with another one it would skip items. */
function tokenOf(place: Place, options: InboxListOptions): string {
  const { at, workflow_id, span } = place;
  return Buffer.from(JSON.stringify([at, workflow_id, span, filterText(options)])).toString("base64url");
}

function filterText({ page: _, size: __, ...filter }: InboxListOptions): string {
  return canonical(JSON.parse(JSON.stringify(filter)));
}

function readToken(token: string, options: InboxListOptions): Place {
  try {
    const [at, workflow_id, span, filter] = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (typeof at === "number" && typeof workflow_id === "string" && typeof span === "number") {
      if (filter === filterText(options)) return { at, workflow_id, span };
      throw new NavigatorError("invalid_input", "The page belongs to a list with another filter.", {
        hint: "Give the same filter as for the page before, or begin with the first page.",
        details: { path: "page" },
      });
    }
  } catch (error) {
    if (error instanceof NavigatorError) throw error;
  }
  throw new NavigatorError("invalid_input", "That is no page of the inbox.", {
    hint: "Give `next` of the page before.",
    details: { path: "page" },
  });
}
