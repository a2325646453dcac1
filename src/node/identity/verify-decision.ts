import { defined } from "../../core/base/defined";
import type { PlainCode } from "../../core/base/error-codes";
import { type Failure, failed } from "../../core/base/failure";
import { type Decision, HAND_OVER } from "../../core/review/decision-input";
import { decisionText } from "../../core/review/decision-text";
import { targetOf } from "../../core/review/hand-over";
import { authorityOf, bareAuthority, isGroupWord } from "../../core/review/people/authority";
import { hasPeople, type PeopleFile, type PublicKey, unsignedPolicy } from "../../core/review/people/people-file";
import { spellingOf } from "../../core/review/people/spelling";
import { unknownWord } from "../../core/review/people/unknown-word";
import { type AskedAt, signingTimeProblem } from "../../core/review/policy/signing-time";
import type { Verification } from "../../core/review/verification";
import { isSignatureOf, signingKeyId } from "./detached-jws";

/**
 * Who decided, as far as the people file shows it (approvals reference, section 4). Whether the decision counts
 * is decided by the workflow.
 *
 * @param nowMs ms since 1970, by the clock of the server
 * @param asked the question that it answers; null: not known
 */
export const verifyDecision = (
  file: PeopleFile,
  decision: Decision,
  nowMs: number,
  asked: AskedAt | null = null,
): Promise<Verification> => verified(file, decision, { nowMs, asked, isPast: false });

/** The same for a decision that a worker admitted at this time: a later revocation does not matter. */
export const verifyPastDecision = (file: PeopleFile, decision: Decision, atMs: number): Promise<Verification> =>
  verified(file, decision, { nowMs: atMs, asked: null, isPast: true });

interface Moment {
  nowMs: number;
  asked: AskedAt | null;
  /** A worker admitted the decision before, and only revocations until then count. */
  isPast: boolean;
}

async function verified(file: PeopleFile, decision: Decision, moment: Moment): Promise<Verification> {
  const { nowMs } = moment;
  const { by, kind = "person", via = "library", signature } = decision;
  const known = isKnown(file, by);
  const facts = {
    people: hasPeople(file),
    known,
    unsigned: unsignedPolicy(file),
    ...defined({ unknownTarget: unknownTargetOf(file, decision, nowMs) }),
  };
  const unverified = { id: by, kind, verified: false, via };
  const misnamed = nameProblem(by, facts.people);
  if (misnamed !== null)
    return { principal: unverified, authority: bareAuthority(by), signed: null, fail: misnamed, ...facts };
  // A project without people knows nobody's key: there a signature proves nothing, and does no harm.
  if (signature === undefined || !facts.people)
    return { principal: unverified, authority: bareAuthority(by), signed: null, fail: null, ...facts };
  const signer = await signerOf(file, decision, signature, moment);
  if ("reason" in signer)
    return { principal: unverified, authority: bareAuthority(by), signed: null, fail: signer, ...facts };
  // Whatever it claims: a service that signs under its own name is no person.
  const isService = Object.hasOwn(file.services, by);
  return {
    principal: { id: by, kind: isService ? "service" : kind, verified: true, via },
    authority: authorityOf(file, by, nowMs, moment.isPast),
    signed: signer,
    fail: null,
    ...facts,
  };
}

/** Characters without a visible form, besides those that make no difference in any name. */
const UNSEEN = /[\p{C}\u2028\u2029\u2800\ufffc]/u;

/**
 * Why nobody can decide under a name; null if somebody can. Where people are known, a group decides through its members only:
 * its word is no name. A name that looks like another one, and is not, would be read as that one.
 */
function nameProblem(name: string, hasPeople: boolean): Failure | null {
  if (UNSEEN.test(spellingOf(name)))
    return badName(`The name ${JSON.stringify(name)} has characters that nobody sees.`, name);
  if (!hasPeople || !isGroupWord(spellingOf(name))) return null;
  return badName(`"${name}" is nobody's name: each member of a group decides under their own.`, name);
}

/** Whether the file has the name, of a person or a service, however it is written. */
function isKnown({ people, services }: PeopleFile, name: string): boolean {
  const spelling = spellingOf(name);
  return [...Object.keys(people), ...Object.keys(services)].some((one) => spellingOf(one) === spelling);
}

/** Why nobody of the project would get what is handed over; undefined for somebody, and for other decisions. */
function unknownTargetOf(file: PeopleFile, decision: Decision, nowMs: number): Failure | undefined {
  const to = decision.choice === HAND_OVER && hasPeople(file) ? targetOf(decision) : null;
  return to === null ? undefined : (unknownWord(file, to, nowMs) ?? undefined);
}

/** The key and its owner, who is the principal or vouches for it; or why the signature does not count. */
async function signerOf(
  file: PeopleFile,
  decision: Decision,
  signature: string,
  { nowMs, asked, isPast }: Moment,
): Promise<{ kid: string; by: string } | Failure> {
  const kid = signingKeyId(signature);
  if (kid === undefined)
    return refused("bad_signature", "The signature is not a detached JWS with EdDSA and a key id.");
  const owner = ownerOf(file, kid);
  if (owner === undefined)
    return refused("unknown_signer", `The key ${kid} is nobody's: the project's people.yaml does not have it.`, {
      kid,
    });
  const { name, key, vouches, removed } = owner;
  const refusedSigner = (reason: "bad_signature" | "key_revoked", message: string) =>
    refused(reason, message, { kid, by: name });
  // At once, whatever the clocks show: the one that wrote the time of a revocation may have been fast.
  const isOver = (time: string | undefined): time is string =>
    time !== undefined && (!isPast || Date.parse(time) <= nowMs);
  if (isOver(key.revoked)) return refusedSigner("key_revoked", `The key ${kid} of "${name}" was revoked.`);
  if (isOver(removed)) return hasLeft(name, removed, { kid });
  if (!(await isSignatureOf(signature, decisionText(decision), key.public)))
    return refusedSigner(
      "bad_signature",
      `The signature of "${name}" does not cover this decision: something was changed.`,
    );
  if (name !== decision.by && !(vouches && Object.hasOwn(file.people, decision.by)))
    return refusedSigner(
      "bad_signature",
      `The decision is by "${decision.by}", and the key ${kid} is that of "${name}".`,
    );
  const left = file.people[decision.by]?.removed;
  if (isOver(left)) return hasLeft(decision.by, left);
  // After the signature: only the owner of the key learns how their clock differs.
  return (isPast ? null : signingTimeProblem(decision, nowMs, asked)) ?? { kid, by: name };
}

/** Nothing that somebody signs counts from the time on at which they left. */
const hasLeft = (name: string, at: string, details: { [field: string]: string } = {}): Failure =>
  refused("key_revoked", `"${name}" has left the project, at ${at}.`, { ...details, by: name });

interface KeyOwner {
  name: string;
  key: PublicKey;
  vouches: boolean;
  removed?: string;
}

function ownerOf({ people, services }: PeopleFile, kid: string): KeyOwner | undefined {
  const is = (key: PublicKey) => key.kid === kid;
  for (const [name, { keys, removed }] of Object.entries(people)) {
    const key = keys.find(is);
    if (key !== undefined) return { name, key, vouches: false, ...defined({ removed }) };
  }
  for (const [name, { keys, may }] of Object.entries(services)) {
    const key = keys.find(is);
    if (key !== undefined) return { name, key, vouches: may.includes("vouch") };
  }
  return undefined;
}

const badName = (message: string, by: string): Failure => failed("invalid_input", message, { path: "by", by }).fail;

const refused = (reason: PlainCode, message: string, details: { [field: string]: string } = {}): Failure =>
  failed(reason, message, details).fail;
