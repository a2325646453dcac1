import { connect as connectTcp } from "node:net";
import type { Config } from "../config";

/** What is found at an address. `foreign`: a program that speaks something else. `silent`: it accepts and says nothing. */
export type Probe =
  | { kind: "temporal"; version: string }
  | { kind: "closed"; problem: string }
  | { kind: "silent" }
  | { kind: "foreign"; problem: string }
  | { kind: "denied"; problem: string };

type ConnectionOptions = Partial<Config["temporal"]["connectionOptions"]>;

/** Asks an address who it is by a real gRPC call (GetSystemInfo). Takes at most about `timeoutMs`. */
export async function probe(address: string, timeoutMs: number, options: ConnectionOptions = {}): Promise<Probe> {
  const closed = await tcpProblem(address, timeoutMs);
  if (closed !== null) return { kind: "closed", problem: closed };
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

/** Why no TCP connection can be made, or null. Told apart from gRPC faults, which look the same to the gRPC library. */
function tcpProblem(address: string, timeoutMs: number): Promise<string | null> {
  const { host, port } = splitAddress(address);
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port });
    const end = (problem: string | null) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(timeoutMs, () => end(`no connection within ${timeoutMs} ms`));
    socket.once("connect", () => end(null));
    socket.once("error", (error: NodeJS.ErrnoException) => end(TCP_WORDS[error.code ?? ""] ?? error.message));
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
