import type { Writable } from "node:stream";

/**
 * Has a stream send what is written in one moment with one system call. The answer of a tool call often has a line of the log before it,
 * and each write of its own wakes the client. Nothing waits for longer than the present round of the event loop.
 *
 * @returns the stream
 */
export function joinWrites<Stream extends Pick<Writable, "write" | "cork" | "uncork" | "writableCorked">>(
  stream: Stream,
): Stream {
  const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
  stream.write = (...given: unknown[]) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => {
        // Its end has sent everything.
        if (stream.writableCorked > 0) stream.uncork();
      });
    }
    return write(...given);
  };
  return stream;
}
