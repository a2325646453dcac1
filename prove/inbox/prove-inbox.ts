import type { Json } from "../../src/core/base/json";
import { isWorkingTime } from "../../src/core/review/policy/working-hours";
import type { Proof } from "../frame/proof";
import { shorterLists, shrink } from "../frame/shrink";
import { type ListFigures, measureInboxList } from "./list-figures";
import { modelCourse } from "./minute-model";
import { type InboxCase, inboxCase, MONTH_MINUTES } from "./request-case";
import { type Course, runRequest } from "./run-request";
import type { INBOX_SIZES } from "./sizes";

/** How requests are run; tests give reviews that are broken on purpose. */
export interface InboxOptions {
  run?: typeof runRequest;
}

const MINUTE_MS = 60_000;

/**
 * Generates requests with their people and a month of what happens to them, and runs each of them twice: on the reviews of
 * the product with a clock that skips, and on a model that counts minutes. Both must give the same course.
 */
export const proveInbox =
  ({ run = runRequest }: InboxOptions = {}): Proof<typeof INBOX_SIZES> =>
  async (context) => {
    const figures = {
      requests: 0,
      ...{ decided: 0, defaults: 0, no_agreement: 0, withdrawn: 0 },
      ...{ taken: 0, delegated: 0, of_different_groups: 0, hand_overs: 0, taken_back: 0, comments: 0 },
      ...{ refused: 0, refused_for_the_one_who_asked: 0, refused_for_agents: 0 },
      ...{ reminders: 0, escalations: 0, postponed: 0, over_clock_changes: 0, restarts: 0 },
    };
    for (const index of context.cases(context.sizes.requests)) {
      const one = inboxCase(context.random(index));
      const { course, counts } = run(one);
      figures.requests += 1;
      for (const { what, who } of course) {
        if (what === "reminded") figures.reminders += 1;
        if (what === "escalated") figures.escalations += 1;
        if (what === "refused") figures.refused += 1;
        if (what === "withdrawn") figures.withdrawn += 1;
        if (what === "decided") figures[endOf(who)] += 1;
        if (what === "decided" && endOf(who) === "decided" && one.terms.distinct_groups !== undefined)
          figures.of_different_groups += 1;
        if (what !== "taken") continue;
        figures.taken += 1;
        if (who.endsWith("comment")) figures.comments += 1;
        if (who.endsWith("hand_over")) figures.hand_overs += 1;
        if (who.endsWith("take_back")) figures.taken_back += 1;
      }
      figures.delegated += counts.delegated;
      figures.refused_for_the_one_who_asked += counts.refusals.filter((code) => code === "self_approval").length;
      figures.refused_for_agents += counts.refusals.filter((code) => code === "agents_may_not_decide").length;
      figures.postponed += counts.postponed;
      figures.restarts += counts.restarts;
      if (changesClocks(one, course)) figures.over_clock_changes += 1;
      const fault = faultOf(one, course);
      if (fault === null) continue;
      const smallest = await shrink(one, smallerCases, (smaller) => faultOf(smaller, run(smaller).course) !== null);
      context.violation({
        what: faultOf(smallest, run(smallest).course) ?? fault,
        where: `request ${index}`,
        case: index,
        smallest: JSON.parse(JSON.stringify(smallest)) as Json,
      });
    }
    const { waiting } = context.sizes;
    if (waiting === 0 || context.only !== null) return figures;
    const { address, namespace } = context.server();
    return { ...figures, ...listed(await measureInboxList({ address, namespace, requests: waiting, minutes: 15 })) };
  };

/** How long lists take, in ms. Where fewer workflows were loaded than asked for, the last two times are grown in proportion. */
const listed = ({ loaded, load_ms, items, pages, extrapolated, ...times }: ListFigures) => ({
  list_workflows: loaded,
  list_items: items,
  list_pages: pages,
  list_load_ms: load_ms,
  list_first_page_ms: times.first_page_ms,
  list_first_page_without_worker_ms: times.first_page_without_worker_ms,
  list_by_assignee_ms: times.by_assignee_ms,
  list_by_mission_ms: times.by_mission_ms,
  list_last_page_ms: times.last_page_ms,
  list_all_pages_ms: times.all_pages_ms,
  ...(extrapolated === undefined
    ? {}
    : {
        extrapolated_first_page_ms: extrapolated.first_page_ms,
        extrapolated_all_pages_ms: extrapolated.all_pages_ms,
      }),
});

const endOf = (who: string): "decided" | "defaults" | "no_agreement" =>
  who.endsWith(" by timer") ? "defaults" : who.endsWith(" by quorum") ? "no_agreement" : "decided";

/** What is wrong with the course of a request; null = nothing. */
function faultOf(one: InboxCase, course: Course): string | null {
  const rule = ruleBroken(one, course);
  if (rule !== null) return rule;
  const expected = modelCourse(one);
  const at = course.findIndex((event, i) => lineOf(event) !== lineOf(expected[i]));
  const first = at === -1 && expected.length > course.length ? course.length : at;
  if (first === -1) return null;
  return `The request takes another course than in its terms: ${lineOf(course[first])}, and not ${lineOf(expected[first])}.`;
}

const lineOf = (event: Course[number] | undefined): string =>
  event === undefined ? "nothing" : `in minute ${event.minute} ${event.what} ${event.who}`.trimEnd();

/** Checks the rules of every course, without the model. */
function ruleBroken({ begin, terms }: InboxCase, course: Course): string | null {
  const ends = course.filter(({ what }) => what === "decided" || what === "withdrawn");
  if (ends.length !== 1) return `The request ended ${ends.length} times.`;
  const notified = course.filter(({ what }) => what === "reminded" || what === "escalated");
  const outside = notified.find(({ minute }) => !isWorkingTime(terms.hours, begin + minute * MINUTE_MS));
  if (outside !== undefined) return `People were notified outside their working hours, in minute ${outside.minute}.`;
  const reminders = course.filter(({ what }) => what === "reminded").map(({ minute }) => minute);
  const early = reminders.findIndex(
    (minute, i) => (minute - (reminders[i - 1] ?? 0)) * MINUTE_MS < (terms.remind_ms ?? 0),
  );
  if (early > 0) return `A reminder came twice, in the minutes ${reminders[early - 1]} and ${reminders[early]}.`;
  const late = notified.find(({ minute }) => minute > (ends[0] as Course[number]).minute);
  return late === undefined ? null : `People were notified after the end, in minute ${late.minute}.`;
}

/** Whether the clocks of the working hours change while the request is open. */
function changesClocks({ begin, opened, terms }: InboxCase, course: Course): boolean {
  if (terms.hours === undefined) return false;
  const { zone } = terms.hours;
  const end = course.find(({ what }) => what === "decided" || what === "withdrawn")?.minute ?? MONTH_MINUTES;
  const shown = (minute: number) =>
    new Date(begin + minute * MINUTE_MS)
      .toLocaleString("en-GB", { timeZone: zone, timeZoneName: "longOffset" })
      .slice(-6);
  return shown(opened) !== shown(end);
}

function* smallerCases(one: InboxCase): Generator<InboxCase> {
  for (const acts of shorterLists(one.acts)) yield { ...one, acts };
  for (const outages of shorterLists(one.outages)) yield { ...one, outages };
  for (const term of Object.keys(one.terms)) {
    const { [term as keyof InboxCase["terms"]]: _, ...terms } = one.terms;
    yield { ...one, terms };
  }
  if (one.requested_by !== null) yield { ...one, requested_by: null };
  for (const [name, person] of Object.entries(one.people.people))
    if (person.delegations.length > 0)
      yield {
        ...one,
        people: { ...one.people, people: { ...one.people.people, [name]: { ...person, delegations: [] } } },
      };
}
