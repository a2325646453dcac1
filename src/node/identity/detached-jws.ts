import { CompactSign, compactVerify, decodeProtectedHeader } from "jose";
import { importPrivate, importPublic, type PrivateKey } from "./keys";

/** Detached JSON Web Signatures (RFC 7515, appendix F) of texts, with EdDSA. */

const ALGORITHM = "EdDSA";

/** Signs a text: `HEADER..SIGNATURE`, whose header names the key. */
export async function signText(text: string, key: PrivateKey): Promise<string> {
  const jws = await new CompactSign(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: ALGORITHM, kid: key.kid })
    .sign(await importPrivate(key));
  const [header, , signature] = jws.split(".");
  return `${header}..${signature}`;
}

/** The id of the key that a signature names; undefined for what is no detached signature with `alg` and `kid` alone. */
export function signingKeyId(signature: string): string | undefined {
  const [header, payload, proof, ...more] = signature.split(".");
  if (header === undefined || payload !== "" || !proof || more.length > 0) return undefined;
  try {
    const { alg, kid, ...others } = decodeProtectedHeader(`${header}..${proof}`) as { [field: string]: unknown };
    return alg === ALGORITHM && typeof kid === "string" && Object.keys(others).length === 0 ? kid : undefined;
  } catch {
    // A header that cannot be read names no key.
    return undefined;
  }
}

/** Whether a detached signature is that of this public key over this text. */
export async function isSignatureOf(signature: string, text: string, publicKey: string): Promise<boolean> {
  const [header, , proof] = signature.split(".");
  const payload = Buffer.from(text, "utf8").toString("base64url");
  try {
    await compactVerify(`${header}.${payload}.${proof}`, await importPublic(publicKey), { algorithms: [ALGORITHM] });
    return true;
  } catch {
    return false;
  }
}
