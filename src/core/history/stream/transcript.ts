import type { StreamBegin, StreamEntry, StreamText } from "./entry";

/** One model call, as a stream shows it. */
export interface StreamedCall extends Omit<StreamBegin, "type"> {
  /** The text of the last attempt so far. */
  text: string;
  /** `lost`: the answer is whole, but some of it was not kept. */
  state: "open" | "whole" | "lost" | "failed";
  /** The texts of earlier attempts, the oldest first. They do not count. */
  dropped: string[];
  /** The class of the error, if the last attempt failed. */
  error?: string;
}

/** What an entry changed. `null`: nothing, as it belongs to an attempt that does not count any more. */
export type TranscriptChange =
  | { type: "begin"; call: StreamedCall; retried: boolean }
  | { type: "text"; call: StreamedCall; text: string }
  | { type: "end"; call: StreamedCall }
  | { type: "failed"; call: StreamedCall };

/**
 * The model calls of a stream. The last attempt of a call counts, as it does for the workflow. A worker that was
 * believed lost may continue for a while: its text does not mix with that of the attempt that replaced it.
 */
export class Transcript {
  private readonly byCall = new Map<string, StreamedCall>();
  private readonly byAttempt = new Map<string, StreamedCall>();

  /** The calls, in the order in which they began. */
  calls(): StreamedCall[] {
    return [...this.byCall.values()];
  }

  /** Takes the next entry of the stream. */
  add(entry: StreamEntry): TranscriptChange | null {
    if (entry.type === "begin") return this.begin(entry);
    const call = this.byAttempt.get(entry.attempt_id);
    if (call === undefined || call.attempt_id !== entry.attempt_id || call.state !== "open") return null;
    if (entry.type === "text") return this.text(call, entry);
    if (entry.type === "failed") {
      call.state = "failed";
      call.error = entry.error;
      return { type: "failed", call };
    }
    call.state = call.text.length === entry.length ? "whole" : "lost";
    return { type: "end", call };
  }

  /** What is there already was written twice. */
  private text(call: StreamedCall, { text, from = call.text.length }: StreamText): TranscriptChange | null {
    const fresh = text.slice(Math.max(0, call.text.length - from));
    if (fresh === "") return null;
    call.text += fresh;
    return { type: "text", call, text: fresh };
  }

  private begin({ type: _, ...begun }: StreamBegin): TranscriptChange | null {
    const key = `${begun.workflow_id} ${begun.call}`;
    const before = this.byCall.get(key);
    // Written late, by a worker that was believed lost.
    if (before !== undefined && before.run_id === begun.run_id && before.attempt >= begun.attempt) return null;
    const again = before !== undefined && before.run_id === begun.run_id;
    const dropped = again ? [...before.dropped, ...(before.text === "" ? [] : [before.text])] : [];
    const call: StreamedCall = { ...begun, text: "", state: "open", dropped };
    this.byCall.set(key, call);
    this.byAttempt.set(begun.attempt_id, call);
    return { type: "begin", call, retried: again };
  }
}
