import type { ConnectionOptions } from "@temporalio/client";
import type { Payload } from "@temporalio/common";
import type { RunningActivity } from "./due-heartbeats";

export interface HeartbeatThreadData {
  connection: ConnectionOptions;
  namespace: string;
  /** Shared with the main thread, see `SHARED`. */
  shared: SharedArrayBuffer;
}

/** The numbers that both threads see. */
export const SHARED = {
  /** How often the main thread has turned. */
  beats: 0,
  /** 1 while this thread sends: the main thread then sends no new details, which an older heartbeat could overwrite. */
  sending: 1,
  /** How many details the main thread has announced. */
  announced: 2,
} as const;

export type ToHeartbeatThread =
  | { begin: RunningActivity; identity: string }
  | { end: number }
  | { replace: number; details: Payload[] };

/** It has stopped sending. */
export const QUIET = "quiet";
