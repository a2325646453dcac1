import { generateKeyPairSync } from "node:crypto";
import { type CryptoKey, importJWK, type JWK } from "jose";
import { keyId } from "../../core/review/people/key-id";

/** Ed25519 keys as JSON Web Keys (RFC 8037), by jose: small, kept up, MIT. */

/** A private key, as its owner's file has it: 32 bytes each, in base64url. */
export interface PrivateKey {
  kid: string;
  /** Public part. */
  x: string;
  /** Private part. */
  d: string;
}

const CURVE = { kty: "OKP", crv: "Ed25519" } as const;

/** A new key pair. What people copy into commands does not begin with "-": it would be taken for an option. */
export function newPrivateKey(): PrivateKey {
  for (;;) {
    const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" }) as { x: string; d: string };
    const kid = keyId(x);
    if (!x.startsWith("-") && !kid.startsWith("-")) return { kid, x, d };
  }
}

/** Reads a public key for checking signatures. */
export const importPublic = (x: string): Promise<CryptoKey> => imported({ ...CURVE, x });

/** Reads a private key for signing. */
export const importPrivate = ({ x, d }: PrivateKey): Promise<CryptoKey> => imported({ ...CURVE, x, d });

async function imported(key: JWK): Promise<CryptoKey> {
  return (await importJWK(key, "EdDSA")) as CryptoKey;
}
