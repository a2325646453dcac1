/** No message of a server is larger, over HTTP and from a process. */
export const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

/** How the error begins. */
export const TOO_LARGE = "its answer is larger than";

/**
 * The same answer, whose body fails when more than `max_bytes` of it have to be in memory at a time: all of it, or one
 * event of an event stream. A server, or one that it names, could fill the memory of a worker otherwise.
 */
export function limited(answer: Response, max_bytes: number): Response {
  if (answer.body === null) return answer;
  const isStream = /^text\/event-stream\b/i.test(answer.headers.get("content-type") ?? "");
  const size = isStream ? eventSize() : wholeSize();
  const body = answer.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, out) {
        if (size(chunk) > max_bytes) throw new Error(`${TOO_LARGE} ${max_bytes} bytes`);
        out.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = answer;
  return new Response(body, { status, statusText, headers });
}

/** How many bytes are in memory after another chunk. */
type Size = (chunk: Uint8Array) => number;

function wholeSize(): Size {
  let bytes = 0;
  return (chunk) => {
    bytes += chunk.length;
    return bytes;
  };
}

const [LINE_END, RETURN] = [10, 13];

/** An empty line ends an event. */
function eventSize(): Size {
  let bytes = 0;
  let isLineEmpty = true;
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      isLineEmpty &&= end === from || (end === from + 1 && chunk[from] === RETURN);
      bytes = isLineEmpty ? 0 : bytes + end + 1 - from;
      isLineEmpty = true;
      from = end + 1;
    }
    const rest = chunk.subarray(from);
    bytes += rest.length;
    // What is left may be the first half of an empty line.
    if (rest.length > 1 || (rest.length === 1 && rest[0] !== RETURN)) isLineEmpty = false;
    return bytes;
  };
}
