import { Context } from "@temporalio/activity";
import { ApplicationFailure } from "@temporalio/common";
import { defined } from "../core/base/defined";
import type { Result } from "../core/base/failure";
import type { Json } from "../core/base/json";
import type { CallToolInput, NavigatorActivities, SignedAnswer } from "../core/calls/activities";
import { type ChainEnd, type LedgerHead, parseChainEnd } from "../core/effects/chain/head";
import type { PrivateKey } from "../node/identity/keys";
import { signHead } from "../node/identity/ledger-signature";

/**
 * Signs the end of the chain of the workflow that asks (approvals reference, section 6).
 *
 * Everybody who can write to the namespace can ask, with any input. So this code makes the head itself: field by field,
 * and for the workflow that Temporal names. It ignores a workflow in the input, and signs nothing but a head.
 */
export type SignHead = (end: ChainEnd, final: boolean) => Promise<string | null>;

/** @param key of the worker; absent: heads stay unsigned */
export const headSigner =
  (key: PrivateKey | undefined): SignHead =>
  async (end, final) => {
    const parsed = parseChainEnd(end);
    if (parsed === null)
      throw ApplicationFailure.nonRetryable(
        "What should be signed is no end of a chain: {seq, hash, at}.",
        "invalid_input",
      );
    const workflow_id = Context.current().info.workflowExecution?.workflowId;
    if (key === undefined || workflow_id === undefined) return null;
    const head: LedgerHead = { workflow_id, ...parsed, final };
    return signHead(head, key);
  };

/** The activity that signs the end of a chain when its workflow is over. */
export const signLedgerHead =
  (key: PrivateKey | undefined): NavigatorActivities["signLedgerHead"] =>
  async (end) => {
    const signature = await headSigner(key)(end, true);
    return { kid: signature === null ? null : (key?.kid ?? null), signature };
  };

/** Signs the end that came with a call of the run. Empty if none came, or if the worker has no key. */
export async function signatureOf(end: ChainEnd | undefined, sign: SignHead): Promise<{ ledger_signature?: string }> {
  const signature = end === undefined ? null : await sign(end, false);
  return defined({ ledger_signature: signature ?? undefined });
}

/** Signs the end that comes with a call of a tool. Before the call is made: nothing may fail once it has acted. */
export const signingHeads =
  (sign: SignHead) =>
  <Rest extends unknown[]>(callTool: (input: CallToolInput, ...rest: Rest) => Promise<Result<Json>>) =>
  async (input: CallToolInput, ...rest: Rest): Promise<SignedAnswer> => {
    const signature = await signatureOf(input.ledger_head, sign);
    return { ...(await callTool(input, ...rest)), ...signature };
  };
