import { type Failure, failed } from "../../base/failure";
import { didYouMean } from "../../base/input/did-you-mean";
import { isGroupWord } from "./authority";
import type { PeopleFile } from "./people-file";

/** Names that a message lists. */
const LISTED = 20;

/**
 * Why a word of an assignee stands for nobody of the project; null if it stands for somebody. Reasons: `not_found`,
 * `not_found`. The message names the one that is nearest, and those that exist.
 *
 * @param nowMs ms since 1970: people who have left by then are nobody
 */
export function unknownWord({ people, groups }: PeopleFile, word: string, nowMs: number): Failure | null {
  if (isGroupWord(word)) {
    const name = word.slice(word.indexOf(":") + 1);
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    const there = Object.keys(groups);
    if (group === undefined)
      return failed("not_found", `The project has no group "${name}".${insteadOf(name, there)}`, {
        path: name,
        kind: "group",
        name,
      }).fail;
    if (word.startsWith("group:") || group.lead !== undefined) return null;
    return failed("not_found", `Nobody leads the group "${name}" of the project.`, { path: word, kind: "person", name })
      .fail;
  }
  const hasLeft = ({ removed }: PeopleFile["people"][string]) => removed !== undefined && Date.parse(removed) <= nowMs;
  const person = Object.hasOwn(people, word) ? people[word] : undefined;
  if (person !== undefined && !hasLeft(person)) return null;
  const there = Object.keys(people).filter((name) => !hasLeft(people[name] as PeopleFile["people"][string]));
  const what =
    person === undefined ? "is not one of the project's people" : `has left the project, at ${person.removed}`;
  return failed("not_found", `"${word}" ${what}.${insteadOf(word, there)}`, { path: word, kind: "person", name: word })
    .fail;
}

/** The nearest name, and those that exist. */
function insteadOf(name: string, names: readonly string[]): string {
  const nearest = didYouMean(name, names);
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : "";
  const list = names.length === 0 ? "none" : `${names.slice(0, LISTED).join(", ")}${more}`;
  return `${nearest === "" ? "" : ` ${nearest.charAt(0).toUpperCase()}${nearest.slice(1)}`} There are: ${list}.`;
}
