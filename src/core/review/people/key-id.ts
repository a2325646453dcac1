import { sha256 } from "@noble/hashes/sha2.js";
import { base64Url } from "../../effects/effect-id";

/** The bytes of public keys, as texts in base64url without padding (approvals reference, section 2). */

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** The id of a key: the first 16 characters of the SHA-256 of its public part, in base64url. */
export const keyId = (publicKey: string): string => base64Url(sha256(bytesOf(publicKey))).slice(0, 16);

/** Whether a text is the one spelling of its bytes: the last character of a key has two unused bits. */
export const isCanonicalKey = (publicKey: string): boolean => base64Url(bytesOf(publicKey)) === publicKey;

function bytesOf(text: string): Uint8Array {
  const bytes: number[] = [];
  let bits = 0;
  let pending = 0;
  for (const digit of text) {
    pending = (pending << 6) | Math.max(0, DIGITS.indexOf(digit));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push(pending >> bits);
    pending &= (1 << bits) - 1;
  }
  return Uint8Array.from(bytes);
}
