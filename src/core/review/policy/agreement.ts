import { isGroupWord } from "../people/authority";
import { isSameName } from "../people/spelling";
import { seatOf, type Voter } from "./deciders";

/** Whether enough people agree (approvals reference, section 5). */

/** A vote with the groups of the represented person; the lead of a group stands for it. */
export interface GroupedVote extends Voter {
  groups?: string[];
}

/** How many people must agree, and from how many groups. */
export interface Quorum {
  quorum?: number;
  distinctGroups?: number;
}

/** How many people must make the same choice. */
export const neededPeople = ({ quorum = 1, distinctGroups = 1 }: Quorum): number => Math.max(quorum, distinctGroups);

/**
 * Whether these votes, which are for the same choice, are enough.
 *
 * @param words of those who are asked: where groups are among them, only these groups count as different ones
 */
export function agree(votes: readonly GroupedVote[], quorum: Quorum, words: readonly string[]): boolean {
  if (votes.length < neededPeople(quorum)) return false;
  const { distinctGroups = 1 } = quorum;
  return distinctGroups === 1 || differentGroups(votes, words) >= distinctGroups;
}

/**
 * The largest number of votes that can each stand for another group: somebody in two groups stands for one of them.
 */
function differentGroups(votes: readonly GroupedVote[], words: readonly string[]): number {
  const named = new Set(groupsIn(words));
  const groups = votes.map(({ groups = [] }) => groups.filter((group) => named.size === 0 || named.has(group)));
  const standsFor = new Map<string, number>();
  // Another group is looked for, for the vote that stands for this one, until each has its own.
  const place = (vote: number, tried: Set<string>): boolean =>
    (groups[vote] as string[]).some((group) => {
      if (tried.has(group)) return false;
      tried.add(group);
      const holder = standsFor.get(group);
      if (holder !== undefined && !place(holder, tried)) return false;
      standsFor.set(group, vote);
      return true;
    });
  return votes.filter((_, vote) => place(vote, new Set())).length;
}

/** The groups that words name, as groups or by their lead. */
export const groupsIn = (words: readonly string[]): string[] => [
  ...new Set(words.filter(isGroupWord).map((word) => word.slice(word.indexOf(":") + 1))),
];

/**
 * Whether `quorum` people can still agree, when `best` of them do at most. How many people a group has is not known here,
 * and who is asked later may agree.
 *
 * @param words of those who are asked; for those who got a decision, the person who handed it over; [] = anyone
 */
export function mayStillAgree(
  votes: readonly GroupedVote[],
  best: number,
  quorum: Quorum,
  words: readonly string[],
  { separatedFrom, hasLadder }: { separatedFrom?: string | undefined; hasLadder: boolean },
): boolean {
  if (words.length === 0 || hasLadder || words.some(isGroupWord)) return true;
  const hasAsked = (name: string) => separatedFrom !== undefined && isSameName(name, separatedFrom);
  const silent = words.filter((name) => !hasAsked(name) && !votes.some((vote) => seatOf(vote) === name));
  return best + silent.length >= neededPeople(quorum);
}
