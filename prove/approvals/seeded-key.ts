import { createPrivateKey } from "node:crypto";
import { keyId } from "../../src/core/review/people/key-id";
import type { PublicKey } from "../../src/core/review/people/people-file";
import type { PrivateKey } from "../../src/node/identity/keys";
import type { Random } from "../frame/random";

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const PKCS8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** A key pair that is the same for the same seed. */
export function seededKey(random: Random): PrivateKey {
  const secret = Buffer.from(random.list(32, () => random.int(0, 255)));
  const key = createPrivateKey({ key: Buffer.concat([PKCS8, secret]), format: "der", type: "pkcs8" });
  const { x, d } = key.export({ format: "jwk" }) as { x: string; d: string };
  return { kid: keyId(x), x, d };
}

/** The public part, as a people file has it. */
export const publicPart = ({ kid, x }: PrivateKey): PublicKey => ({ kid, public: x, added: "2026-01-01T00:00:00Z" });
