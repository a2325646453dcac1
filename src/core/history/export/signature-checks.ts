import type { LedgerHead } from "../../effects/chain/head";
import type { Decision } from "../../review/decision-input";
import type { PeopleFile } from "../../review/people/people-file";
import type { Verification } from "../../review/verification";

/** What checking signatures needs from outside: the core has no Ed25519. */
export interface SignatureChecks {
  /** Who made a decision, with these people at this time (ms since 1970). */
  decision(people: PeopleFile, decision: Decision, atMs: number): Promise<Verification>;
  /** The service whose key signed a head, or why the signature is not valid. */
  head(people: PeopleFile, head: LedgerHead, signature: string): Promise<{ by: string } | { problem: string }>;
}
