import path from "node:path";
import type { ExternalStorage } from "@temporalio/common";
import { z } from "zod";
import { FolderStore } from "./folder-store";
import { S3Store } from "./s3-store";
import { externalStorage } from "./storage-driver";

/** Bytes of a payload that is kept outside of the server, unless `over` sets another limit. */
const DEFAULT_OVER = 256 * 1024;
const UNITS: { [unit: string]: number } = { B: 1, KB: 1024, MB: 1024 ** 2 };
const SIZE = /^(\d+) ?(B|KB|MB)$/;

const over = z
  .union(
    [
      z.int().min(1_000),
      z
        .string()
        .regex(SIZE)
        .transform((text) => {
          const [, count, unit] = SIZE.exec(text) as unknown as [string, string, string];
          return Number(count) * (UNITS[unit] as number);
        }),
    ],
    'must be a number of bytes of at least 1000, or a text such as "256 KB"',
  )
  .default(DEFAULT_OVER);

/** `largePayloads` in the configuration of a project (docs/large-payloads.md). */
export const LargePayloads = z.union(
  [
    z.strictObject({ over, folder: z.string().min(1) }),
    z.strictObject({
      over,
      s3: z.strictObject({
        bucket: z.string().min(1),
        prefix: z.string().optional(),
        region: z.string().min(1).optional(),
        endpoint: z.url().optional(),
        forcePathStyle: z.boolean().optional(),
      }),
    }),
  ],
  'must be {folder, over?} or {s3: {bucket, prefix?, region?, endpoint?, forcePathStyle?}, over?}; over is a size such as "256 KB"',
);

/** @param folder of the project: its paths are relative to it */
export function openLargePayloads(settings: z.output<typeof LargePayloads>, folder: string): ExternalStorage {
  const store =
    "folder" in settings ? new FolderStore(path.resolve(folder, settings.folder)) : new S3Store(settings.s3);
  return externalStorage(store, settings.over);
}
