import type { openRig, Rig } from "./rig";

/** Something that a workflow does and that writes history in its own way: run, replayed, and kept (see record.ts). */
export interface Recording {
  /** First part of the names of its files. */
  name: string;
  /** What its worker has. A function: what it needs is opened first, and closed by `run`. */
  rig?: RecordingRig | (() => Promise<RecordingRig>);
  /** Runs it as far as it goes. Gives the ids of the workflows whose runs are kept. */
  run(rig: Rig): Promise<string[]>;
}

export type RecordingRig = Omit<Parameters<typeof openRig>[0], "address" | "namespace" | "taskQueue">;
