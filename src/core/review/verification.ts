import type { Failure } from "../base/failure";
import type { Decision } from "./decision-input";
import { type Authority, bareAuthority } from "./people/authority";
import type { Principal } from "./people/principal";

/**
 * What a worker found out about a decision: facts from the people of its project. The workflow decides what follows
 * (`admission.ts`).
 */
export interface Verification {
  principal: Principal;
  authority: Authority;
  /** null: it is not signed. `by`: the signer, which is the principal itself or a service that vouches for it. */
  signed: { kid: string; by: string } | null;
  /** The signature is not valid: `bad_signature`, `unknown_signer`, `key_revoked`. */
  fail: Failure | null;
  /** The project has people. */
  people: boolean;
  /** The name is that of one of the project's people or services, however it is written. */
  known: boolean;
  unsigned: "never" | "reversible" | "always";
  /**
   * The version of the people with which it was checked (`peopleVersion`). Absent: the project has none, or they cannot be
   * read.
   */
  peopleVersion?: string;
  /**
   * Of a hand-over: the receiver is nobody of the project. Absent = somebody, or nobody has looked: the
   * project has no people.
   */
  unknownTarget?: Failure;
}

/** What is known of a decision where nobody can be verified, and where the project has no people: the names it gives. */
export function byNameAlone({ by, kind = "person", via = "library" }: Decision): Verification {
  return {
    principal: { id: by, kind, verified: false, via },
    authority: bareAuthority(by),
    signed: null,
    fail: null,
    people: false,
    known: false,
    unsigned: "always",
  };
}
