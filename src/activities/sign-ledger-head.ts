import type { NavigatorActivities } from "../core/calls/activities";
import type { PrivateKey } from "../identity/keys";
import { signHead } from "../identity/ledger-signature";

/** Signs the end of a chain with the worker's key (approvals reference, section 6). */
export type SignHead = NavigatorActivities["signLedgerHead"];

/** @param key of the worker; absent: heads stay unsigned */
export const signLedgerHead =
  (key: PrivateKey | undefined): SignHead =>
  async (head) =>
    key === undefined ? { kid: null, signature: null } : { kid: key.kid, signature: await signHead(head, key) };
