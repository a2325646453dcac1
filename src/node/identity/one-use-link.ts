import { createHash, createHmac } from "node:crypto";
import { CompactSign, compactVerify, decodeProtectedHeader } from "jose";
import { NavigatorError } from "../../core/base/navigator-error";
import type { PeopleFile } from "../../core/review/people/people-file";
import { importPrivate, importPublic, type PrivateKey } from "./keys";

/**
 * Links by which a person without a key decides (approvals reference, section 8). A link is a compact JWS of a
 * service that may vouch. It is used once because the decision that is made with it has a nonce that follows from the
 * link: the workflow takes each nonce once, so nothing has to be stored.
 */

const TYPE = "navigator-link";
const VERSION = 1;

/** What a link is made for. */
interface LinkFor {
  review: string;
  /** Who may decide with it; null = several people read it, and the page asks who somebody is. */
  person: string | null;
  /** The seal of what was asked when the link was made. */
  seal: string | null;
  /** Ms since 1970. */
  expires: number;
  /** Of the message that has the link: the same message has the same link. */
  id: string;
}

/** The claims of a link, after its signature was checked. */
export interface ReadLink extends Omit<LinkFor, "id"> {
  nonce: string;
  /** The service that made it. */
  service: string;
}

/** The token of a link. The same message always gets the same one, so that a mail that comes twice counts once. */
export async function makeLink({ id, ...rest }: LinkFor, key: PrivateKey): Promise<string> {
  // Not to be guessed by others who know the id.
  const nonce = createHmac("sha256", key.d).update(`${TYPE} ${id}`).digest("base64url").slice(0, 24);
  return new CompactSign(new TextEncoder().encode(JSON.stringify({ v: VERSION, ...rest, nonce })))
    .setProtectedHeader({ alg: "EdDSA", kid: key.kid, typ: TYPE })
    .sign(await importPrivate(key));
}

/**
 * Reads the token of a link. Reading it uses nothing up.
 *
 * @param review the review that is decided with it
 * @param nowMs ms since 1970
 * @throws NavigatorError `bad_link`
 */
export async function readLink(token: string, review: string, file: PeopleFile, nowMs: number): Promise<ReadLink> {
  const { payload, service } = await verified(token, file);
  const { v, nonce, expires } = payload;
  if (v !== VERSION || typeof nonce !== "string" || typeof expires !== "number")
    throw badLink("it is from another version of Navigator");
  if (payload.review !== review)
    throw new NavigatorError("bad_link", `The link is not for review "${review}".`, {
      hint: "Use the link of the message about this review.",
      details: { path: review, kind: "review" },
    });
  if (nowMs >= expires)
    throw new NavigatorError("bad_link", `The link could be used until ${new Date(expires).toISOString()}.`, {
      hint: "Wait for the next reminder, or decide with navigator review decide.",
      details: { path: review, kind: "expired" },
    });
  return { review, person: payload.person ?? null, seal: payload.seal ?? null, expires, nonce, service };
}

/**
 * The nonce of the decision that a person makes with a link: with a link of one's own it is the link's, so it counts once.
 * With one that several people read it counts once for each of them.
 *
 * @throws NavigatorError `bad_link`
 */
export function nonceOfLink({ person, nonce }: ReadLink, by: string): string {
  if (person === by) return nonce;
  if (person !== null)
    throw new NavigatorError("bad_link", `The link is "${person}"'s, and not "${by}"'s.`, {
      hint: "Use the link of the message that was sent to you.",
      details: { path: by, kind: "person" },
    });
  return createHash("sha256").update(`${nonce} ${by}`).digest("base64url").slice(0, 24);
}

async function verified(token: string, file: PeopleFile) {
  const kid = signerOf(token);
  for (const [service, { keys, may }] of Object.entries(file.services)) {
    const key = keys.find((one) => one.kid === kid);
    if (key === undefined) continue;
    if (!may.includes("vouch")) throw badLink(`"${service}" may not vouch for people`);
    if (key.revoked !== undefined) throw badLink("its key was revoked");
    const signed = await compactVerify(token, await importPublic(key.public), { algorithms: ["EdDSA"] }).catch(() => {
      throw badLink("its signature is not valid");
    });
    return {
      payload: JSON.parse(new TextDecoder().decode(signed.payload)) as Partial<ReadLink> & { v?: unknown },
      service,
    };
  }
  throw badLink("no service of the project has signed it");
}

function signerOf(token: string): unknown {
  try {
    const { typ, kid } = decodeProtectedHeader(token);
    if (typ === TYPE) return kid;
  } catch {
    // Reported below.
  }
  throw badLink("it is no token of a link");
}

const badLink = (why: string) =>
  new NavigatorError("bad_link", `The link cannot be used: ${why}.`, {
    hint: "Open it as it stands in the message, or decide with navigator review decide.",
    details: { path: "link", kind: "changed" },
  });
