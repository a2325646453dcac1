import type { PeopleFile } from "../../src/core/review/people/people-file";
import { parsePeople } from "../../src/core/review/people/people-file";
import { newPrivateKey, type PrivateKey } from "../../src/node/identity/keys";

export { newPrivateKey as newKey };

/** A key as a people file has it. */
export const publicKey = ({ kid, x }: PrivateKey, revoked?: string) => ({
  kid,
  public: x,
  added: "2026-01-01T00:00:00Z",
  ...(revoked === undefined ? {} : { revoked }),
});

/** Reads the content of a people file. @throws Error with its mistakes */
export function peopleOf(raw: unknown): PeopleFile {
  const parsed = parsePeople(raw);
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}
