import type { StreamEntry } from "../../src/core/history/stream/entry";
import { type StreamedCall, Transcript } from "../../src/core/history/stream/transcript";

/** A reader that cannot reach the server tries again after this time, in ms. */
const AGAIN_MS = 150;

/** A reader of a mission's events over HTTP, as a browser is one: whenever it is cut off it continues after the last event. */
export class EventReader {
  private readonly transcript = new Transcript();
  private lastId: string | undefined;
  private connection: AbortController | undefined;
  private isOver = false;
  readonly received = { pieces: 0, twice: 0, connections: 0 };
  private readonly seen = new Set<string>();

  /**
   * @param address of the events, with the token that lets it in
   * @param onPiece called after each event, and when it is connected again, with the call that is under way
   */
  constructor(
    private readonly address: { url: string; token: string },
    private readonly onPiece: (call: StreamedCall | undefined) => void = () => {},
  ) {}

  /** Reads until the mission is over. */
  async read(): Promise<void> {
    while (!this.isOver) {
      try {
        await this.connect();
      } catch {
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    }
  }

  /** Cuts the connection. */
  drop(): void {
    this.connection?.abort();
  }

  /** The last call, as it was received. */
  get call(): StreamedCall | undefined {
    return this.transcript.calls().at(-1);
  }

  private async connect(): Promise<void> {
    const connection = new AbortController();
    this.connection = connection;
    const { url, token } = this.address;
    const answer = await fetch(url, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(this.lastId === undefined ? {} : { "last-event-id": this.lastId }),
      },
      signal: connection.signal,
    });
    if (!answer.ok || answer.body === null) throw new Error(`the server answered ${answer.status}`);
    this.received.connections += 1;
    this.onPiece(this.call);
    let rest = "";
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      const events = (rest + chunk).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        // An event on its way when the reader was cut off was not received.
        if (connection.signal.aborted) throw new Error("cut off");
        this.take(event);
      }
    }
  }

  private take(event: string): void {
    const fields = new Map(
      event.split("\n").map((line) => {
        const at = line.indexOf(":");
        return [line.slice(0, at), line.slice(at + 1).trimStart()] as const;
      }),
    );
    if (fields.get("event") === "text")
      for (const entry of JSON.parse(fields.get("data") ?? "[]") as StreamEntry[]) this.entry(entry);
    if (fields.get("event") === "over") this.isOver = true;
    this.lastId = fields.get("id") ?? this.lastId;
    this.onPiece(this.call);
  }

  private entry(entry: StreamEntry): void {
    this.transcript.add(entry);
    if (entry.type !== "text") return;
    const key = `${entry.attempt_id} ${entry.text}`;
    this.received.pieces += 1;
    if (this.seen.has(key)) this.received.twice += 1;
    this.seen.add(key);
  }
}
