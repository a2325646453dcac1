import { type Failure, receivedFailure } from "../core/base/failure";
import { NavigatorError } from "../core/base/navigator-error";
import type { NavigatorActivities } from "../core/calls/activities";
import { hasPeople, type PeopleFile, peopleVersion } from "../core/review/people/people-file";
import { byNameAlone } from "../core/review/verification";
import { verifyDecision } from "../node/identity/verify-decision";

/** Reads the people of the project. It is asked for each decision, so that a key that is revoked counts no more. */
export type ReadPeople = () => PeopleFile;

/** The people of the project; or why nobody can be verified: a file with mistakes is no project without people. */
export function readOrFail(people: ReadPeople): PeopleFile | Failure {
  try {
    return people();
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    return receivedFailure(error.code, error.message, error.details);
  }
}

/**
 * The activity that finds out who decided. A decision that nobody may make is data, too: the workflow refuses it. So is one
 * that nobody can check, because the file of the people has a mistake.
 */
export const decisionVerifier =
  (people: ReadPeople): NavigatorActivities["verifyDecisions"] =>
  async (decisions, moment) => {
    const file = readOrFail(people);
    if ("reason" in file)
      return decisions.map((decision) => ({
        ...byNameAlone(decision),
        ...{ fail: file, people: true, unsigned: "never" as const },
      }));
    const version = hasPeople(file) ? { peopleVersion: peopleVersion(file) } : {};
    return Promise.all(
      decisions.map(async (decision, i) => {
        const asked = moment?.asked[i] ?? null;
        // A workflow of an earlier version sends no moment.
        return { ...(await verifyDecision(file, decision, moment?.now ?? Date.now(), asked)), ...version };
      }),
    );
  };
