import { ExternalStorage, type Payload, type StorageDriver, StorageDriverClaim } from "@temporalio/common";
import { temporal } from "@temporalio/proto";
import { type BlobStore, keepBytes, keptBytes } from "./blob-store";

const { Payload: PayloadBytes } = temporal.api.common.v1;

/** A blob store as the SDK's storage of large payloads. It gets payloads as the codecs have left them: encrypted ones stay so. */
export class BlobDriver implements StorageDriver {
  /** One name for every kind of place: a reference stays readable when the blobs move from a folder to S3. */
  readonly name = "navigator";
  readonly type: string;

  constructor(readonly blobs: BlobStore) {
    this.type = blobs.type;
  }

  store(_: unknown, payloads: Payload[]): Promise<StorageDriverClaim[]> {
    return Promise.all(
      payloads.map(async (payload) => new StorageDriverClaim({ key: await keepPayload(this.blobs, payload) })),
    );
  }

  retrieve(_: unknown, claims: StorageDriverClaim[]): Promise<Payload[]> {
    return Promise.all(claims.map(({ claimData }) => keptPayload(this.blobs, claimData.key ?? "")));
  }
}

/** @returns the key of the kept payload */
export const keepPayload = (blobs: BlobStore, payload: Payload, until?: AbortSignal): Promise<string> =>
  keepBytes(blobs, PayloadBytes.encode(payload).finish(), until);

/** The payload of a key. Throws as `keptBytes` does. */
export const keptPayload = async (blobs: BlobStore, key: string, until?: AbortSignal): Promise<Payload> =>
  PayloadBytes.decode(await keptBytes(blobs, key, until));

/** @param over payloads of this many bytes or more are kept in the store */
export const externalStorage = (blobs: BlobStore, over: number): ExternalStorage =>
  new ExternalStorage({ drivers: [new BlobDriver(blobs)], payloadSizeThreshold: over });
