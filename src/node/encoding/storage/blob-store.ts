import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { NavigatorError } from "../../../core/base/navigator-error";
import { unkeepable, unreadable } from "../unreadable-payload";

/** A place for bytes outside of the server. Their key is their SHA-256, so what is there already is not written again. */
export interface BlobStore {
  /** For messages: a folder, or a bucket. */
  readonly place: string;
  /** Which kind it is, for the worker's heartbeat: `navigator.folder`. */
  readonly type: string;
  /** Another possible reason why nothing is found; follows on "There is no KEY in PLACE". */
  readonly absent?: string;
  /** Keeps the bytes under their key. A reader sees all of them or none. */
  write(key: string, bytes: Uint8Array): Promise<void>;
  /** null: there is nothing under this key. @throws the error of a place that cannot be reached */
  get(key: string): Promise<Uint8Array | null>;
}

const KEY = /^[0-9a-f]{64}$/;

/** The key of bytes: their SHA-256 in hexadecimal. */
const keyOfBytes = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** Pauses before the next attempts where a place cannot be reached, in ms. */
const PAUSES_MS = [200, 500, 1_000, 2_000, 4_000];

/**
 * Keeps bytes.
 *
 * @param until it is tried until this signal is aborted; without it for some seconds
 * @returns their key @throws a failure that is tried again
 */
export async function keepBytes(store: BlobStore, bytes: Uint8Array, until?: AbortSignal): Promise<string> {
  const key = keyOfBytes(bytes);
  const failed = await attempted(() => store.write(key, bytes), until);
  if (failed instanceof Error)
    throw unkeepable(key, `A large payload cannot be written to ${store.place}: ${failed.message}`);
  return key;
}

/**
 * The bytes of a key, checked.
 *
 * @param until as for `keepBytes`
 * @throws a failure for which a call waits, and which a client shows as a NavigatorError
 */
export async function keptBytes(store: BlobStore, key: string, until?: AbortSignal): Promise<Uint8Array> {
  const name = KEY.test(key) ? key : "?";
  const found = name === "?" ? null : await attempted(() => store.get(key), until);
  if (found instanceof Error) throw unavailable(store, key, found);
  if (found === null)
    throw unreadable("payload_unreadable", {
      name,
      text: `There is no ${key} in ${store.place}${store.absent === undefined ? "" : `, ${store.absent}`}`,
      help: "Every process of the project must use the same place (largePayloads in navigator.config). If it was deleted, bring it back from a backup.",
    });
  if (keyOfBytes(found) === key) return found;
  throw unreadable("payload_tampered", {
    name,
    text: `${key} in ${store.place} is not what was written there: its SHA-256 is another`,
    help: "Bring it back from a backup.",
  });
}

/**
 * That a place answers, before something is done whose answer must be kept.
 *
 * @param until as for `keepBytes`
 * @throws a failure for which a call waits
 */
export async function checkReachable(store: BlobStore, until?: AbortSignal): Promise<void> {
  const answer = await attempted(() => store.get(NOBODYS_KEY), until);
  if (answer instanceof Error) throw unavailable(store, "A large payload", answer);
}

/** No bytes have this SHA-256, as far as anybody knows. */
const NOBODYS_KEY = "0".repeat(64);

const unavailable = (store: BlobStore, key: string, { message }: Error) =>
  unreadable("payload_storage_unavailable", {
    name: KEY.test(key) ? key : store.place,
    text: `${key} cannot be read from ${store.place}: ${message}`,
    help: "The runs that wait for it continue when the place can be reached. See largePayloads in navigator.config.",
  });

/** What a call gives, or its last error. A mistake of the configuration is thrown at once. */
async function attempted<T>(call: () => Promise<T>, until?: AbortSignal): Promise<T | Error> {
  for (let attempt = 0; ; attempt++)
    try {
      return await call();
    } catch (error) {
      if (error instanceof NavigatorError) throw error;
      const pause = PAUSES_MS[attempt] ?? (until && PAUSES_MS.at(-1));
      if (pause === undefined || until?.aborted) return error as Error;
      await delay(pause, undefined, until && { signal: until }).catch(() => {});
    }
}
