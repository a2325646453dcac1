import type { S3Client } from "@aws-sdk/client-s3";
import { NavigatorError } from "../../../core/base/navigator-error";
import type { BlobStore } from "./blob-store";

/** Where in S3, or in a service that speaks its protocol. Credentials are found as every AWS program finds them. */
interface S3Settings {
  bucket: string;
  /** The beginning of each key: `payloads/`. */
  prefix?: string | undefined;
  region?: string | undefined;
  /** Of a service other than AWS. */
  endpoint?: string | undefined;
  /** The bucket is a part of the path and not of the host's name. */
  forcePathStyle?: boolean | undefined;
}

/** Objects in a bucket. The package `@aws-sdk/client-s3` is loaded at the first use; that it is there is checked before. */
export class S3Store implements BlobStore {
  readonly type = "navigator.s3";
  readonly absent =
    "or this process may not read it: it needs s3:GetObject, and s3:ListBucket to know the one from the other";
  readonly place: string;
  private loaded: Promise<{ sdk: typeof import("@aws-sdk/client-s3"); client: S3Client }> | undefined;

  /**
   * @param find throws if there is no such package
   * @throws NavigatorError `bad_project` that names the package to install
   */
  constructor(
    private readonly settings: S3Settings,
    find: (name: string) => unknown = (name) => require.resolve(name),
  ) {
    try {
      find("@aws-sdk/client-s3");
    } catch (cause) {
      throw new NavigatorError("bad_project", "largePayloads.s3 needs the package @aws-sdk/client-s3.", {
        hint: "Install it together with Navigator: npm install @aws-sdk/client-s3",
        cause,
        details: { path: "largePayloads.s3" },
      });
    }
    this.place = `s3://${settings.bucket}/${settings.prefix ?? ""}`;
  }

  async write(key: string, bytes: Uint8Array): Promise<void> {
    const { sdk, client } = await this.load();
    await client.send(new sdk.PutObjectCommand({ ...this.objectOf(key), Body: bytes }));
  }

  async get(key: string): Promise<Uint8Array | null> {
    const { sdk, client } = await this.load();
    try {
      const { Body } = await client.send(new sdk.GetObjectCommand(this.objectOf(key)));
      return Body === undefined ? null : await Body.transformToByteArray();
    } catch (error) {
      // Without the right to list the bucket, this is also what S3 answers where there is no object.
      if (error instanceof sdk.NoSuchKey || (error as Error).name === "AccessDenied") return null;
      throw error;
    }
  }

  private objectOf(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.settings.bucket, Key: `${this.settings.prefix ?? ""}${key}` };
  }

  private load() {
    this.loaded ??= (async () => {
      const sdk = await import("@aws-sdk/client-s3");
      const { region, endpoint, forcePathStyle } = this.settings;
      const given = Object.entries({ region, endpoint, forcePathStyle }).filter(([, value]) => value !== undefined);
      return { sdk, client: new sdk.S3Client(Object.fromEntries(given)) };
    })();
    return this.loaded;
  }
}
