import type { PeopleFile } from "./people-file";

/**
 * The assignees that a person may decide for. An assignee of a review is a word: the name of a person, `group:NAME` for any member of
 * a group, or `lead:NAME` for the one who leads it.
 */

/** The word for any member of a group: `group:finance`. */
export const groupWord = (group: string): string => `group:${group}`;
/** The word for the one who leads a group: `lead:finance`. */
export const leadWord = (group: string): string => `lead:${group}`;

/** Whether a word stands for people of the people file, and not for one person. */
export const isGroupWord = (word: string): boolean => word.startsWith("group:") || word.startsWith("lead:");

/** What a principal stands for at a time. */
export interface Authority {
  /** The words of the principal itself: its name, its groups, the groups it leads. */
  own: string[];
  /** Words of people who delegated to it, and who they are. */
  delegated: { word: string; from: string }[];
  /** The groups that it is a member of. */
  groups: string[];
}

/**
 * What a person stands for at this time, ms since 1970.
 *
 * @param isPast only those who had left by then count as gone. Otherwise all do, whatever the clocks show
 */
export function authorityOf(file: PeopleFile, person: string, nowMs: number, isPast = false): Authority {
  const delegated = Object.entries(file.people).flatMap(([from, { delegations, removed }]) => {
    if (from === person || (removed !== undefined && (!isPast || Date.parse(removed) <= nowMs))) return [];
    const isOn = delegations.some(
      ({ to, from: begin, until }) =>
        to === person && (begin === undefined || Date.parse(begin) <= nowMs) && nowMs < Date.parse(until),
    );
    return isOn ? wordsOf(file, from).map((word) => ({ word, from })) : [];
  });
  return { own: wordsOf(file, person), delegated, groups: groupsOf(file, person) };
}

/** A principal without any known field but the name. */
export const bareAuthority = (name: string): Authority => ({ own: [name], delegated: [], groups: [] });

function wordsOf(file: PeopleFile, person: string): string[] {
  const led = Object.entries(file.groups).filter(([, { lead }]) => lead === person);
  return [person, ...groupsOf(file, person).map(groupWord), ...led.map(([name]) => leadWord(name))];
}

const groupsOf = ({ groups }: PeopleFile, person: string): string[] =>
  Object.entries(groups)
    .filter(([, { members }]) => members.includes(person))
    .map(([name]) => name);

/** The first assignee that a principal may decide for, and the delegating person, if there is one. */
export function actsAs(authority: Authority, assignees: readonly string[]): { word: string; from?: string } | null {
  const own = assignees.find((word) => authority.own.includes(word));
  if (own !== undefined) return { word: own };
  return authority.delegated.find(({ word }) => assignees.includes(word)) ?? null;
}
