import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** Messages of one session that a client may request again after its connection broke. */
const MAX_EVENTS = 200;

/** The last messages of all streams of one session, so that a broken stream can be resumed. */
export class RecentEvents implements EventStore {
  /** In the order of sending; ids are `<stream>/<number>`. */
  private readonly events = new Map<string, JSONRPCMessage>();
  private sent = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const id = `${streamId}/${++this.sent}`;
    this.events.set(id, message);
    const [oldest] = this.events.keys();
    if (this.events.size > MAX_EVENTS && oldest !== undefined) this.events.delete(oldest);
    return id;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.events.has(eventId) ? streamOf(eventId) : undefined;
  }

  async replayEventsAfter(
    last: string,
    { send }: { send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const stream = streamOf(last);
    let reached = false;
    for (const [id, message] of this.events) {
      // The first event of a stream is empty: it only gives the client an id to resume from.
      if (reached && streamOf(id) === stream && "jsonrpc" in message) await send(id, message);
      reached ||= id === last;
    }
    return stream;
  }
}

const streamOf = (eventId: string): string => eventId.slice(0, eventId.lastIndexOf("/"));
