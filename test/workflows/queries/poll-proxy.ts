import { once } from "node:events";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { temporal } from "@temporalio/proto";

const { PollWorkflowTaskQueueRequest, PollWorkflowTaskQueueResponse } = temporal.api.workflowservice.v1;
const { TASK_QUEUE_KIND_STICKY } = temporal.api.enums.v1.TaskQueueKind;
const POLL = "/temporal.api.workflowservice.v1.WorkflowService/PollWorkflowTaskQueue";
/** gRPC puts five bytes before each message: whether it is compressed, and its length. */
const FRAME = 5;

/**
 * A server between a worker and Temporal's, for the moment after another worker was killed with a workflow task. The first workflow task
 * is taken and lost, as by the killed worker, and the worker gets the query that had been waiting and that nobody had taken before. All later
 * polls go through.
 */
export class PollProxy {
  /** Whether the worker got a query first: the server can lose one that it gives to a worker which is about to end. */
  readonly givesQuery: Promise<boolean>;
  private lose: (ask: () => Promise<Answer>) => void = () => {};
  private readonly query: Promise<Answer | undefined>;
  private hasLost = false;
  private readonly sessions = new Set<ServerHttp2Session>();

  private constructor(
    private readonly upstream: ClientHttp2Session,
    private readonly server: ReturnType<typeof createServer>,
  ) {
    this.query = new Promise((resolve) => {
      this.lose = (ask) => resolve(loseOne(ask));
    });
    this.givesQuery = this.query.then((query) => query !== undefined);
    server.on("session", (session) => this.sessions.add(session));
    server.on("stream", (stream, headers) => {
      stream.on("error", () => {});
      if (headers[":path"] === POLL) this.poll(stream, headers).catch((error: Error) => stream.destroy(error));
      else pass(stream, this.request(headers));
    });
  }

  static async before(address: string): Promise<PollProxy> {
    const upstream = connect(`http://${address}`);
    const server = createServer().listen(0, "127.0.0.1");
    await Promise.all([once(upstream, "connect"), once(server, "listening")]);
    return new PollProxy(upstream, server);
  }

  get address(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) session.destroy();
    this.upstream.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async poll(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    const body = await bytesOf(stream);
    const ask = () => answerOf(this.request(headers).end(body));
    const answer = isSticky(body) ? await ask() : await this.answer(ask);
    if (stream.destroyed) return;
    stream.respond(answer.headers, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(answer.trailers));
    stream.end(answer.body);
  }

  private async answer(ask: () => Promise<Answer>): Promise<Answer> {
    const isFirst = !this.hasLost;
    this.hasLost = true;
    if (isFirst) this.lose(ask);
    const query = await this.query;
    return isFirst && query !== undefined ? query : ask();
  }

  private request(headers: IncomingHttpHeaders): ClientHttp2Stream {
    const { ":authority": _, ...others } = headers;
    return this.upstream.request(others, { endStream: false });
  }
}

/** Takes a workflow task and does nothing with it. Gives the query, whichever of the two came first. */
async function loseOne(ask: () => Promise<Answer>): Promise<Answer | undefined> {
  const answers = [await ask(), await ask()];
  return answers.find(({ body }) => body.length > 0 && isQuery(body));
}

interface Answer {
  headers: IncomingHttpHeaders;
  body: Buffer;
  trailers: IncomingHttpHeaders;
}

const isSticky = (body: Buffer): boolean =>
  PollWorkflowTaskQueueRequest.decode(messageOf(body)).taskQueue?.kind === TASK_QUEUE_KIND_STICKY;

const isQuery = (body: Buffer): boolean => PollWorkflowTaskQueueResponse.decode(messageOf(body)).query != null;

const messageOf = (body: Buffer): Buffer => (body[0] === 1 ? gunzipSync(body.subarray(FRAME)) : body.subarray(FRAME));

async function bytesOf(stream: ServerHttp2Stream | ClientHttp2Stream): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}

async function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  let trailers: IncomingHttpHeaders = {};
  stream.on("trailers", (told) => {
    trailers = told;
  });
  const [headers] = await once(stream, "response");
  return { headers, body: await bytesOf(stream), trailers };
}

/** Hands on what it does not look at. */
function pass(stream: ServerHttp2Stream, upstream: ClientHttp2Stream): void {
  let trailers: IncomingHttpHeaders = {};
  stream.pipe(upstream);
  upstream.on("error", () => stream.destroy());
  upstream.on("trailers", (told) => {
    trailers = told;
  });
  upstream.on("response", (headers, flags) => {
    if (stream.destroyed) return;
    // A refusal has nothing but headers.
    if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) return stream.respond(headers, { endStream: true });
    stream.respond(headers, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers(trailers));
    upstream.pipe(stream);
  });
  stream.on("close", () => upstream.close());
}
