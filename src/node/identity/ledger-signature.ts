import { headText, type LedgerHead } from "../../core/effects/chain/head";
import type { LedgerVerdict } from "../../core/history/export/verdict";
import { type VerifyOptions, verifyLedger } from "../../core/history/export/verify-ledger";
import type { PeopleFile } from "../../core/review/people/people-file";
import { isSignatureOf, signingKeyId, signText } from "./detached-jws";
import type { PrivateKey } from "./keys";
import { verifyPastDecision } from "./verify-decision";

/** Signatures of the heads of ledgers, by a worker's key (approvals reference, section 6). */

/** A detached JWS of a head. */
export const signHead = (head: LedgerHead, key: PrivateKey): Promise<string> => signText(headText(head), key);

/** The service whose key signed a head, or why that does not count. */
export async function verifyHead(
  { services }: PeopleFile,
  head: LedgerHead,
  signature: string,
): Promise<{ by: string } | { problem: string }> {
  const kid = signingKeyId(signature);
  if (kid === undefined) return { problem: "its signature is not a detached JWS with EdDSA and a key id." };
  for (const [by, { keys, may }] of Object.entries(services)) {
    const key = keys.find((one) => one.kid === kid);
    if (key === undefined) continue;
    if (!may.includes("sign_ledger")) return { problem: `"${by}" may not sign ledgers.` };
    if (key.revoked !== undefined && Date.parse(key.revoked) <= head.at)
      return { problem: `the key ${kid} of "${by}" was revoked before.` };
    const isValid = await isSignatureOf(signature, headText(head), key.public);
    return isValid ? { by } : { problem: `the signature of "${by}" does not cover it: something was changed.` };
  }
  return { problem: `its key ${kid} is not in the people file.` };
}

/**
 * Checks an exported ledger (approvals reference, section 6). No server is asked.
 *
 * @param bytes the file; or its text
 */
export async function verifyExportedLedger(
  bytes: Uint8Array | string,
  options: Omit<VerifyOptions, "checks"> = {},
): Promise<LedgerVerdict> {
  const text = typeof bytes === "string" ? bytes : utf8(bytes);
  return verifyLedger(text, { ...options, checks: { decision: verifyPastDecision, head: verifyHead } });
}

/** null: it is no UTF-8. */
function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
