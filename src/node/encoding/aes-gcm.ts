import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Payload, PayloadCodec } from "@temporalio/common";
import { temporal } from "@temporalio/proto";
import { NavigatorError } from "../../core/base/navigator-error";
import { type EncryptionKey, type EncryptionKeys, HOW_TO_GET_KEYS } from "./encryption-keys";
import { encodingOf, unreadable } from "./unreadable-payload";

/**
 * AES-256-GCM with key ids (docs/encryption.md). A payload is encrypted whole, with its own metadata. The data of what comes
 * out is a random nonce of 12 bytes, the ciphertext and the tag of 16 bytes; the metadata names the key. Key id and encoding are
 * authenticated: a payload whose metadata was changed is not decrypted.
 */

const ENCRYPTED = "binary/encrypted";
const KEY_ID = "encryption-key-id";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The codec of a set of keys. What other codecs have encoded, and what is in the clear, it gives back as it is. */
export function aesGcmCodec(keys: EncryptionKeys): PayloadCodec {
  return {
    encode: async (payloads) => {
      const key = newestKey(keys);
      return payloads.map((payload) => encrypt(payload, key));
    },
    decode: async (payloads) =>
      payloads.map((payload) => (encodingOf(payload) === ENCRYPTED ? decrypt(payload, keys) : payload)),
  };
}

/** The key that encrypts. @throws NavigatorError `encryption_key_missing` */
export function newestKey(keys: EncryptionKeys): EncryptionKey {
  const key = keys.newest();
  if (key !== undefined) return key;
  throw new NavigatorError(
    "encryption_key_missing",
    `The project encrypts what it writes (codec: "aes-gcm"), and there is no key in ${keys.place}.`,
    { hint: HOW_TO_GET_KEYS },
  );
}

/** The id of the key that a payload was encrypted with; undefined: it was not, or not by this codec. */
export function keyIdOf(payload: Payload): string | undefined {
  const id = payload.metadata?.[KEY_ID];
  return encodingOf(payload) === ENCRYPTED && id != null ? Buffer.from(id).toString("utf8") : undefined;
}

function encrypt(payload: Payload, { id, secret }: EncryptionKey): Payload {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", secret, nonce).setAAD(boundTo(id));
  const plain = temporal.api.common.v1.Payload.encode(payload).finish();
  const data = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return { metadata: { encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id) }, data };
}

function decrypt(payload: Payload, keys: EncryptionKeys): Payload {
  const id = keyIdOf(payload) ?? "";
  const key = keys.byId(id);
  if (key === undefined)
    throw unreadable("encryption_key_missing", {
      name: id,
      text: `The data is encrypted with key ${id === "" ? "without an id" : id}, which this process does not have`,
      help: `It looked in ${keys.place}. Bring the key there: navigator keys export (where it is), navigator keys import (here).`,
    });
  const data = Buffer.from(payload.data ?? []);
  try {
    const decipher = createDecipheriv("aes-256-gcm", key.secret, data.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(boundTo(id)).setAuthTag(data.subarray(data.length - TAG_BYTES));
    const plain = [decipher.update(data.subarray(NONCE_BYTES, data.length - TAG_BYTES)), decipher.final()];
    return temporal.api.common.v1.Payload.decode(Buffer.concat(plain));
  } catch {
    // Whatever fails here, nonce, tag or content: it is not what was encrypted with this key.
    throw unreadable("payload_tampered", {
      name: id,
      text: `The data is marked as encrypted with key ${id}, and the key of this id in ${keys.place} does not open it`,
      help: "Either it was changed, or the key here is another one with the same id: compare the fingerprints that navigator keys list shows.",
    });
  }
}

/** What a ciphertext is bound to besides its key. */
const boundTo = (id: string): Buffer => Buffer.from(`navigator payload 1\n${ENCRYPTED}\n${id}`);
