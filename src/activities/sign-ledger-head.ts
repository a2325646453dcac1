import { Context } from "@temporalio/activity";
import { defined } from "../core/base/defined";
import type { Result } from "../core/base/failure";
import type { Json } from "../core/base/json";
import type { CallToolInput, NavigatorActivities, SignedAnswer } from "../core/calls/activities";
import type { LedgerHead } from "../core/chain/head";
import type { PrivateKey } from "../identity/keys";
import { signHead } from "../identity/ledger-signature";

/** Signs the end of a chain with the worker's key (approvals reference, section 6). */
export type SignHead = NavigatorActivities["signLedgerHead"];

/** @param key of the worker; absent: heads stay unsigned */
export const signLedgerHead =
  (key: PrivateKey | undefined): SignHead =>
  async (head) =>
    key === undefined ? { kid: null, signature: null } : { kid: key.kid, signature: await signHead(head, key) };

/** The signature of a head that came with a call of the run; undefined: none came, or the worker has no key. */
export async function signatureOf(
  head: Omit<LedgerHead, "final" | "workflow_id"> | undefined,
  sign: SignHead,
): Promise<string | undefined> {
  if (head === undefined) return undefined;
  const workflow_id = Context.current().info.workflowExecution?.workflowId ?? "";
  return (await sign({ workflow_id, ...head, final: false })).signature ?? undefined;
}

/** Signs the head that comes with a call of a tool. Before the call is made: nothing may fail once it has acted. */
export const signingHeads =
  (sign: SignHead) =>
  <Rest extends unknown[]>(callTool: (input: CallToolInput, ...rest: Rest) => Promise<Result<Json>>) =>
  async (input: CallToolInput, ...rest: Rest): Promise<SignedAnswer> => {
    const ledger_signature = await signatureOf(input.ledger_head, sign);
    return { ...(await callTool(input, ...rest)), ...defined({ ledger_signature }) };
  };
