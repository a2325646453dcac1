import type { JsonObject } from "../../core/base/json";
import { NavigatorError } from "../../core/base/navigator-error";
import { isForPeople, namesReviewers } from "../../core/graph/task/machine/agent-moves";
import { actsAs, authorityOf } from "../../core/review/people/authority";
import { hasPeople, type PeopleFile, unsignedPolicy } from "../../core/review/people/people-file";
import { neededPeople } from "../../core/review/policy/agreement";
import { isIrreversible, type Review } from "../../core/review/review";
import type { PrivateKey } from "../../node/identity/keys";
import { shellWord } from "../../node/shell-word";
import { NOBODY_KNOWN } from "../context/identity";
import { sessionAgent } from "../context/session-agent";
import type { Call } from "../context/tool";

/** Whose decision the answer in a dialog is, and what an agent may decide itself (approvals reference, section 1). */

export type DialogRight =
  /** The server has authenticated this person for this call. */
  | { kind: "person"; person: string; key: PrivateKey }
  /** The project has no people: the person at the client decides, and everybody sees that nobody verified it. */
  | { kind: "unverified" }
  /** An answer would be no decision. */
  | { kind: "nobody"; why: string; hint: string };

/** Whose decision an answer at this client is. @throws NavigatorError `bad_project` and others of the people's keys */
export function dialogRight(review: Review, { extra, serverContext }: Call): DialogRight {
  const identity = serverContext.identity ?? NOBODY_KNOWN;
  const people = identity.people();
  return hasPeople(people)
    ? verifiedRight(review, people, identity.personOf(extra.authInfo))
    : openRight(review, people);
}

function verifiedRight(
  { assignees = [] }: Review,
  people: PeopleFile,
  found: ReturnType<typeof NOBODY_KNOWN.personOf>,
): DialogRight {
  if ("nobody" in found) return { kind: "nobody", why: found.nobody, hint: found.hint };
  const { person, key } = found;
  if (assignees.length === 0 || actsAs(authorityOf(people, person, Date.now()), assignees))
    return { kind: "person", person, key };
  return {
    kind: "nobody",
    why: `"${person}" is at this client, and the review is for ${assignees.join(", ")}.`,
    hint: "Ask one of them",
  };
}

function openRight(review: Review, people: PeopleFile): DialogRight {
  const hint = "Add the people of the project, with their keys: navigator people add";
  if (namesReviewers(review))
    return { kind: "nobody", why: `The review is for ${named(review)}, and nobody is authenticated here.`, hint };
  const policy = unsignedPolicy(people);
  if (policy === "never" || (policy === "reversible" && isIrreversible(review)))
    return { kind: "nobody", why: "The project takes no such decision from somebody who is not authenticated.", hint };
  return { kind: "unverified" };
}

const named = (review: Review): string => {
  const { assignees = [] } = review;
  if (assignees.length > 0) return assignees.join(", ");
  const needed = neededPeople(review);
  return needed > 1 ? `${needed} people` : "a person";
};

/**
 * Checks that the agent of a session may decide this review.
 *
 * @param by the name that the call gives: an agent has no other name than its own
 * @throws NavigatorError `agents_may_not_decide`
 */
export function checkAgentMayDecide(review: Review, by: string | undefined, call: Call): void {
  const { id, choices } = review;
  checkAgentMay(`decide review "${id}"`, by, call, {
    how: `navigator review decide ${shellWord(id)} CHOICE, or the dialog of a client with a person who has authenticated`,
    details: { review: id, choices },
  });
  const refuse = (why: string) =>
    new NavigatorError("agents_may_not_decide", `Review "${id}" ${why}: an agent may not decide it.`, {
      hint: `A person decides it: navigator review decide ${shellWord(id)} CHOICE`,
      details: { review: id, choices },
    });
  if (isIrreversible(review)) throw refuse("is about a call that cannot be taken back");
  if (isForPeople(review) && !review.assignees?.includes(sessionAgent(call).id))
    throw refuse(`is for ${named(review)}`);
}

/** Checks that the agent of a session may write decisions into journals. @throws NavigatorError `agents_may_not_decide` */
export function checkAgentMayRecord(by: string | undefined, call: Call): void {
  checkAgentMay("write decisions into a journal", by, call, { how: "navigator journal set", details: {} });
}

function checkAgentMay(
  what: string,
  by: string | undefined,
  call: Call,
  { how, details }: { how: string; details: JsonObject },
): void {
  const agent = sessionAgent(call).id;
  if (!call.serverContext.mayDecide)
    throw new NavigatorError(
      "agents_may_not_decide",
      `This session acts as "${agent}", and an agent may not ${what}.`,
      {
        hint: `A person does: ${how}. A server that is started with \`navigator mcp --may decide\` lets its agents do it, where no people are named and nothing irreversible follows.`,
        details,
      },
    );
  if (by !== undefined && by !== agent)
    throw new NavigatorError("agents_may_not_decide", `This session acts as "${agent}", and not as "${by}".`, {
      hint: "Leave `by` out: an agent decides under its own name.",
      details,
    });
}
