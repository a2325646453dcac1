import { connect as connectTcp, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "../node/settings";

/**
 * The result of probing an address. `foreign`: a program with another protocol. `silent`: it accepts and sends nothing.
 */
export type Probe =
  | { kind: "temporal"; version: string }
  | { kind: "closed"; problem: string }
  | { kind: "silent" }
  | { kind: "foreign"; problem: string }
  | { kind: "denied"; problem: string };

type ConnectionOptions = Partial<Config["temporal"]["connectionOptions"]>;

/** Identifies the server at an address by a real gRPC call (GetSystemInfo). Takes at most about `timeoutMs`. */
export async function probe(address: string, timeoutMs: number, options: ConnectionOptions = {}): Promise<Probe> {
  const greeting = await greetAgain(address, timeoutMs, !options.tls);
  if (greeting) return greeting;
  const { Connection, isGrpcServiceError } = await import("@temporalio/client");
  const connection = Connection.lazy({ ...options, address });
  try {
    const info = await connection.withDeadline(Date.now() + timeoutMs, () =>
      connection.workflowService.getSystemInfo({}),
    );
    return { kind: "temporal", version: info.serverVersion || "unknown" };
  } catch (error) {
    if (!isGrpcServiceError(error)) throw error;
    return fromStatus(error.code, error.details || error.message);
  } finally {
    await connection.close();
  }
}

// gRPC status numbers, written out: the enum lives in a package we do not depend on.
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

function fromStatus(code: number, problem: string): Probe {
  if (code === DEADLINE_EXCEEDED) return { kind: "silent" };
  if (code === PERMISSION_DENIED || code === UNAUTHENTICATED) return { kind: "denied", problem };
  return { kind: "foreign", problem };
}

/** How long a program that drops connections without a word is asked again, and how often, in milliseconds. */
const DROPPING_MS = 2_000;
const DROPPED_PAUSE_MS = 50;

/** A killed server drops accepted connections until the system has closed its port. So a dropped connection is tried again. */
async function greetAgain(address: string, timeoutMs: number, inTheClear: boolean): Promise<Probe | null> {
  const until = Date.now() + Math.min(timeoutMs, DROPPING_MS);
  for (;;) {
    const greeting = await greet(address, timeoutMs, inTheClear);
    if (greeting?.kind !== "dropped") return greeting;
    if (Date.now() > until) return { kind: "foreign", problem: greeting.problem };
    await sleep(DROPPED_PAUSE_MS);
  }
}

/** The first bytes of an HTTP/2 client: the preface and an empty SETTINGS frame. */
const HELLO = Buffer.concat([
  Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);
const SETTINGS_FRAME = 4;

/**
 * The problem of an address below gRPC, or null if a gRPC call is worth trying. The gRPC library cannot find out: it
 * retries until its time is over, whether nothing listens or a web server answers.
 *
 * @param inTheClear without TLS; with it, an accepted connection is all that can be seen here.
 */
function greet(
  address: string,
  timeoutMs: number,
  inTheClear: boolean,
): Promise<Probe | { kind: "dropped"; problem: string } | null> {
  const { host, port } = splitAddress(address);
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port });
    let connected = false;
    const end = (probe: Awaited<ReturnType<typeof greet>>) => {
      socket.destroy();
      resolve(probe);
    };
    socket.setTimeout(timeoutMs, () =>
      end(connected ? { kind: "silent" } : { kind: "closed", problem: `no connection within ${timeoutMs} ms` }),
    );
    socket.once("connect", () => {
      connected = true;
      if (inTheClear) socket.write(HELLO);
      else end(null);
    });
    // Frames start with three bytes of length, then the type; a server of HTTP/2 sends SETTINGS first.
    socket.once("data", (bytes) =>
      end(bytes[3] === SETTINGS_FRAME ? null : { kind: "foreign", problem: "it does not speak gRPC" }),
    );
    socket.once("end", () => end({ kind: "dropped", problem: "it closed the connection" }));
    socket.once("error", (error: NodeJS.ErrnoException) => {
      const problem = TCP_WORDS[error.code ?? ""] ?? error.message;
      end(connected ? { kind: "dropped", problem } : { kind: "closed", problem });
    });
  });
}

const TCP_WORDS: Record<string, string> = {
  ECONNREFUSED: "connection refused",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host cannot be reached",
  ENETUNREACH: "the network cannot be reached",
};

/** `host:port`, `[v6]:port` or a bare host (port 7233). */
export function splitAddress(address: string): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d+))?$/.exec(address);
  return { host: match?.[1] ?? (match?.[2] || "127.0.0.1"), port: Number(match?.[3] ?? 7233) };
}

/** Whether nothing listens at a port of this machine. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .once("error", () => resolve(false))
      .listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
