import { streamOf } from "../../activities/call-stream";
import { missionIdOf } from "../../core/base/ids";
import { thrownText } from "../../core/base/navigator-error";
import { type StreamedCall, Transcript } from "../../core/history/stream/transcript";
import type { StreamEncoding } from "../../node/streams/entry-form";
import { openStreams, type StreamSettings } from "../../node/streams/open-store";
import type { StreamStore } from "../../node/streams/stream-store";
import type { CommandIo } from "../terminal/io";

/** The text of model calls as it comes, for people who watch a run: one call after another, each with a line before it. */
export class ModelText {
  private readonly transcript = new Transcript();
  /** Calls that were shown whole. */
  private shown = 0;
  private attempt = "";
  private length = 0;

  /** @param workflowId of the mission: its own calls are not named */
  constructor(
    private readonly io: CommandIo,
    private readonly workflowId: string,
  ) {}

  /** Takes the next entries of the stream. */
  take(entries: Parameters<Transcript["add"]>[0][]): void {
    for (const entry of entries) this.transcript.add(entry);
    const calls = this.transcript.calls();
    for (let call = calls[this.shown]; call !== undefined; call = calls[this.shown]) {
      this.show(call);
      // Calls in parallel wait until the one before them is over. One that failed may begin anew.
      const isOver = call.state === "whole" || call.state === "lost";
      if (!isOver && !(call.state === "failed" && this.shown + 1 < calls.length)) return;
      this.shown += 1;
      this.attempt = "";
      this.io.errPiece("\n");
    }
  }

  private show(call: StreamedCall): void {
    if (this.attempt !== call.attempt_id) {
      if (call.text === "") return;
      if (this.attempt !== "") this.io.err("(it broke off, and begins anew)");
      else this.io.err(this.io.color.dim(headOf(call, this.workflowId)));
      this.attempt = call.attempt_id;
      this.length = 0;
    }
    this.io.errPiece(call.text.slice(this.length));
    this.length = call.text.length;
  }
}

function headOf({ workflow_id, agent, turn, model }: StreamedCall, mission: string): string {
  const who = workflow_id === mission ? "" : `${agent ?? workflow_id.slice(missionIdOf(workflow_id).length + 1)}, `;
  return `${who}turn ${turn} (${model})`;
}

/**
 * Shows the answers of a mission's models as they come, until `stop`. It does not see those that workers on other machines keep
 * elsewhere.
 *
 * @returns `stop`: shows the rest, and ends
 */
export async function followModelText(
  io: CommandIo,
  settings: StreamSettings,
  { namespace, workflowId, encoding }: { namespace: string; workflowId: string; encoding: StreamEncoding },
): Promise<{ stop(): Promise<void> }> {
  const store = await openStreams(settings, encoding);
  const text = new ModelText(io, workflowId);
  const stopping = new AbortController();
  const reading = readOn(store, streamOf(namespace, workflowId), text, stopping.signal).catch((error: unknown) =>
    io.err(`The text of the model cannot be shown: ${thrownText(error)}`),
  );
  let stopped: Promise<void> | undefined;
  const stop = async () => {
    stopping.abort();
    await reading;
    await store.close();
  };
  return {
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}

async function readOn(store: StreamStore, stream: string, text: ModelText, signal: AbortSignal): Promise<void> {
  for (let offset = 0; ; ) {
    const { entries, next } = await store.read(stream, offset);
    offset = next;
    text.take(entries);
    if (entries.length > 0) continue;
    if (signal.aborted) return;
    await store.more(stream, offset, signal);
  }
}
