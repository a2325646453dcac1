import { NavigatorError } from "../../core/base/navigator-error";
import { hasPeople } from "../../core/review/people/people-file";
import { currentPerson, loggedIn } from "../../node/identity/key-store";
import type { PrivateKey } from "../../node/identity/keys";
import { loadPeople } from "../../node/identity/people-on-disk";
import { shellWord } from "../../node/shell-word";
import { badUsage } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";
import { projectPlace } from "./project-people";

/** Under which name a command decides. */
export interface DecisionSigner {
  by: string;
  /** null: the decision is sent without a signature. */
  key: PrivateKey | null;
  /** For people, once the decision was taken: why it is not signed. */
  warning: string | null;
}

/**
 * The person who decides: who is logged in, or another name, which is unverified.
 *
 * @param named with `--by`
 * @throws NavigatorError `bad_usage` for nobody; `unverified_decision` for the name of somebody else where the project has
 *   people; `bad_project` with the mistake in the key
 */
export async function signerOf(io: CommandIo, named: string | undefined): Promise<DecisionSigner> {
  if (named?.trim() === "") throw badUsage("--by", "--by must not be empty.");
  const { project, file } = await projectPlace(io);
  const user = loggedIn(project);
  const by = named ?? user?.person;
  if (by === undefined)
    throw badUsage(
      "--by",
      "Nobody is named as decider: --by is missing, and nobody is logged in.",
      "Name the person: --by NAME\nOr log in: navigator login --as NAME",
    );
  if (user !== null && by === user.person) return { by, key: user.key, warning: null };
  const projectHasPeople = hasPeople(loadPeople(file));
  if (user !== null && projectHasPeople)
    throw new NavigatorError(
      "unverified_decision",
      `You are logged in as "${user.person}", and cannot sign for "${by}".`,
      {
        hint: `Leave --by out to decide as ${user.person}.\nOn a machine where the key of ${by} is: navigator login --as ${shellWord(by)}`,
      },
    );
  const why = user === null ? "nobody is logged in" : `you are logged in as ${user.person}`;
  return { by, key: null, warning: `Not signed: "${by}" is unverified, because ${why}. To sign: navigator login` };
}

/** Who asks for what a command starts: the person who is logged in, where the project has people; undefined for nobody. */
export async function requester(io: CommandIo): Promise<string | undefined> {
  const { project, file } = await projectPlace(io);
  return hasPeople(loadPeople(file)) ? currentPerson(project) : undefined;
}
