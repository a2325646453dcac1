import { google } from "@temporalio/proto";

/** A time, or a duration, of Temporal's service in ms. None is 0. */
export const msOf = (time: { seconds?: unknown; nanos?: number | null } | null | undefined): number =>
  Number(time?.seconds ?? 0) * 1_000 + Math.round((time?.nanos ?? 0) / 1e6);

/** A time in ms as Temporal's service takes it. */
export const timestampOf = (ms: number): google.protobuf.ITimestamp =>
  google.protobuf.Timestamp.fromObject({ seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1e6 });
