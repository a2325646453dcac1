import type { MissionListOptions, MissionPage } from "../../../client/missions";

/** Pages of the server are looked at for so long, in ms, until it is known whether there is more. */
const LOOK_MS = 3_000;
const SIZE = 50;

/** A page, and whether something is known to come after it. */
export interface WholePage extends MissionPage {
  /** false = the time was over before all were looked at. */
  isMore: boolean;
}

/**
 * A page of missions that is full, or has all that fit. A list gives `next` as long as the server has a place to go on from, also where
 * nothing that fits comes any more.
 */
export async function wholePage(
  list: (options: MissionListOptions) => Promise<MissionPage>,
  asked: MissionListOptions,
): Promise<WholePage> {
  const { size = SIZE } = asked;
  const until = Date.now() + LOOK_MS;
  const { missions, next: after } = await list(asked);
  let next = after;
  while (next !== undefined && missions.length < size && Date.now() < until) {
    const page = await list({ ...asked, page: next });
    missions.push(...page.missions);
    next = page.next;
  }
  let ahead: MissionPage = { missions: [], ...(next === undefined ? {} : { next }) };
  while (ahead.next !== undefined && ahead.missions.length === 0 && Date.now() < until)
    ahead = await list({ ...asked, errors: false, size: 1, page: ahead.next });
  const isMore = ahead.missions.length > 0;
  return next === undefined || (!isMore && ahead.next === undefined)
    ? { missions, isMore: false }
    : { missions, next, isMore };
}
