import { defined } from "../../core/base/defined";
import type { Decision, Review } from "../../core/review/review";
import { signDecision } from "../../node/identity/sign-decision";
import { viaOf } from "../context/session-agent";
import type { Call } from "../context/tool";
import type { DialogRight } from "./right-to-decide";

/** Whose decision an answer of the person at the client is: somebody who is authenticated, or anybody, unverified. */
export type DecidingRight = Exclude<DialogRight, { kind: "nobody" }>;

/** The name that a decision of the person at the client has. */
export const whoseOf = (right: DecidingRight, call: Pick<Call, "extra">): string =>
  right.kind === "person" ? right.person : personAtClient(call);

const personAtClient = ({ extra }: Pick<Call, "extra">): string => `a person at ${extra.client.name ?? "the client"}`;

/**
 * Builds the decision of the person at the client about exactly this review: signed, if the person is authenticated.
 *
 * @param given with the name of `whoseOf`
 */
export async function personsDecision(
  given: Decision,
  { seal }: Pick<Review, "seal">,
  right: DecidingRight,
  { serverContext }: Pick<Call, "serverContext">,
): Promise<Decision> {
  const decision: Decision = { ...given, kind: "person", via: viaOf(serverContext), ...defined({ seal }) };
  return right.kind === "person" ? signDecision(decision, right.key) : decision;
}
