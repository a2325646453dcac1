import { NavigatorError } from "../core/base/navigator-error";
import type { Logger } from "../node/log";
import { waitForEnd } from "../node/processes";
import type { Config } from "../node/settings";
import { finishSwap } from "./database-swap";
import {
  protectHome,
  runningServer,
  type ServerRecord,
  startDevServer,
  startingServer,
  stopDevServer,
  stopToStart,
  whileServerLocked,
} from "./dev-server";
import {
  freePortFrom,
  homeOfServerAt,
  isBackgroundServer,
  isHandedOver,
  noteBackgroundServer,
  noteHandedOver,
  noteServer,
  serverUsers,
  useEmbeddedServer,
} from "./local-servers";
import { type Probe, probe, splitAddress } from "./probe";
import { type CliSource, ensureCli } from "./temporal-cli";

/**
 * The time in which a server must identify itself. Loopback answers in milliseconds, a far cluster in a second or two.
 */
const ANSWER_MS = 5_000;
const LOOK_MS = 100;

export interface FoundServer {
  address: string;
  /** The address of its Web UI, if known: that of an embedded server. Others report it themselves. */
  uiAddress: string | null;
  namespace: string;
  source: "TEMPORAL_ADDRESS" | "listening" | CliSource;
  version: string;
}

export interface OpenServer extends FoundServer {
  startedByUs: boolean;
  /** Ends the server if this call started it, or was given it, and nobody else uses it; otherwise does nothing. */
  stop(): Promise<void>;
}

interface ServerOptions {
  config: Config;
  log?: Logger;
  /** One line of progress for people. */
  progress: (line: string) => void;
}

/**
 * A running server: `TEMPORAL_ADDRESS`, the embedded one of this home, or one that listens on 127.0.0.1:<port>. null if
 * nothing listens there. It starts no server.
 *
 * @throws NavigatorError if a server was named or a port is taken, and no Temporal server answers there.
 */
export async function findServer({ config }: { config: Config }): Promise<FoundServer | null> {
  const { address: named, namespace, connectionOptions } = config.temporal;
  if (named !== null) {
    const found = await probe(named, ANSWER_MS, connectionOptions);
    if (found.kind !== "temporal") throw namedServerError(named, found);
    return { address: named, uiAddress: null, namespace, source: "TEMPORAL_ADDRESS", version: found.version };
  }
  return listening(config, config.port);
}

/**
 * Starts the embedded server, unless it (or another Temporal server on its port) runs already. `TEMPORAL_ADDRESS` plays
 * no part here.
 *
 * @throws NavigatorError port_in_use, local_server_failed, local_server_failed; local_server_failed when `port` is given and it runs on another.
 */
export async function startServer(options: ServerOptions & { port?: number }): Promise<FoundServer> {
  const { config, log, progress } = options;
  const { home } = config;
  const port = options.port ?? config.port;
  return whileServerLocked(home, { onWait: progress }, async () => {
    finishSwap(home, progress);
    const own = runningServer(home);
    if (own && options.port !== undefined && own.address !== `127.0.0.1:${port}`) throw alreadyRunning(home, own, port);
    if (own) protectHome(home, progress);
    const begun = startingServer(home);
    if (begun && (options.port === undefined || begun.address === `127.0.0.1:${port}`)) {
      progress(`Starting the Temporal server at ${begun.address} again ...`);
      await stopToStart(home, begun);
      return foundAs("listening", await startAgain(config, begun));
    }
    const found = await listening(config, port);
    if (found) return found;
    const cli = await ensureCli({ ...config, env: process.env, progress });
    progress(`Starting the Temporal server ${cli.version} on 127.0.0.1:${port} ...`);
    const record = await startDevServer({ home, port, namespace: config.temporal.namespace, cli, progress });
    noteServer(config.cache, home, record);
    progress(`Temporal is ready at ${record.address}, Web UI ${record.uiAddress}, data in ${home}.`);
    log?.info("server_started", { ...record, source: cli.source });
    return foundAs(cli.source, record);
  });
}

const foundAs = (
  source: FoundServer["source"],
  { address, uiAddress, namespace, version }: ServerRecord,
): FoundServer => ({ address, uiAddress, namespace, version, source });

/** Starts a server that was stopped, as it was. The server must be locked. */
export async function startAgain(
  { home, cache }: Pick<Config, "home" | "cache">,
  before: ServerRecord,
): Promise<ServerRecord> {
  const { port } = splitAddress(before.address);
  const record = await startDevServer({ home, port, namespace: before.namespace, cli: before.cli });
  noteServer(cache, home, record);
  if (isBackgroundServer(cache, before)) noteBackgroundServer(cache, record);
  return record;
}

/** The embedded server of this home, or any Temporal server on the port; null if nothing listens there. */
async function listening(config: Config, port: number): Promise<FoundServer | null> {
  const own = runningServer(config.home);
  const address = own?.address ?? `127.0.0.1:${port}`;
  let found = await probe(address, ANSWER_MS);
  // Its port is closed while it starts, and while the system takes a killed process apart.
  for (const until = Date.now() + ANSWER_MS; found.kind === "closed" && Date.now() < until; ) {
    if (!own || (await waitForEnd(own.pid, LOOK_MS))) return null;
    found = await probe(address, ANSWER_MS);
  }
  if (found.kind !== "temporal") throw portError(address, found, own);
  const uiAddress = own?.uiAddress ?? (await webUi(port + 1000));
  return { address, uiAddress, namespace: config.temporal.namespace, source: "listening", version: found.version };
}

/** Ends the embedded server of this home, whichever command started it. null when none runs. Its database stays. */
export const stopServer = async ({ home }: { home: string }): Promise<ServerRecord | null> => {
  // A backup would start it again.
  if (startingServer(home) !== null) return whileServerLocked(home, { onWait: () => {} }, () => stopDevServer(home));
  return stopDevServer(home);
};

/** The embedded server of this home from its record, if its process lives. */
export const serverStatus = ({ home }: { home: string }): ServerRecord | null => runningServer(home);

/**
 * Finds a server, or starts one (engine reference, section 9): the one call of every command that needs Temporal. A
 * started server outlives the command unless `stop` is called.
 *
 * @throws NavigatorError; temporal_unavailable when none is found and `start` is false.
 */
export async function openServer(
  config: Config,
  options: { start: boolean } & Omit<ServerOptions, "config">,
): Promise<OpenServer> {
  // Another command starts it, perhaps after a backup, or was killed before the server answered.
  const isStarting = config.temporal.address === null && startingServer(config.home) !== null;
  const running = isStarting ? null : await findServer({ config });
  // Somebody may have opened its home to others since it was started.
  if (running?.source === "listening" && runningServer(config.home)) protectHome(config.home, options.progress);
  const found = running ?? (options.start || isStarting ? await startServer({ ...options, config }) : null);
  if (!found)
    throw new NavigatorError("temporal_unavailable", `No Temporal server runs at 127.0.0.1:${config.port}.`, {
      hint: "Start one with: navigator server start\nOr set TEMPORAL_ADDRESS to one that runs elsewhere.",
    });
  const startedByUs = found.source !== "TEMPORAL_ADDRESS" && found.source !== "listening";
  // Until the process ends, or stops it: a background process without sessions leaves it running until then.
  const leave = useEmbeddedServer(config.cache, found.address);
  const stop = async () => {
    leave();
    await stopUnused(config, found.address, startedByUs, options.progress);
  };
  return { ...found, startedByUs, stop };
}

/**
 * Ends the embedded server that this process started, unless others use it: then the last of them ends it. So does a process that was
 * left with the server of another one.
 */
async function stopUnused(
  config: Config,
  address: string,
  startedByUs: boolean,
  progress: (line: string) => void,
): Promise<void> {
  const { home, cache } = config;
  const own = runningServer(home);
  if (own === null || own.address !== address || !(startedByUs || isHandedOver(cache, own))) return;
  const isUsed = () => serverUsers(cache, address).length > 0;
  if (startedByUs && isUsed()) {
    noteHandedOver(cache, own);
    const [user] = serverUsers(cache, address);
    // The last user may have left before it could read the note.
    if (user !== undefined) {
      progress(
        `The Temporal server at ${address} keeps running: process ${user.pid} uses it, and ends it when nobody does.`,
      );
      return;
    }
  }
  if (!isUsed()) await stopServer(config);
}

/**
 * The server of a project that shares it with nobody's database: as `openServer`, but where the embedded server of another folder
 * has the port, this folder gets its own on the next free one.
 *
 * @throws NavigatorError as `openServer` with `start`
 */
export async function openHomeServer(config: Config, options: Omit<ServerOptions, "config">): Promise<OpenServer> {
  const other = config.temporal.address === null ? homeOfServerAt(config.cache, config.port) : null;
  const isTaken = other !== null && other !== config.home && runningServer(config.home) === null;
  const port = isTaken ? await freePortFrom(config.port) : config.port;
  return openServer({ ...config, port }, { ...options, start: true });
}

function namedServerError(address: string, found: Exclude<Probe, { kind: "temporal" }>): NavigatorError {
  const hint = [
    "Check TEMPORAL_ADDRESS (or the profile in Temporal's configuration file), the network and the server.",
    "Unset TEMPORAL_ADDRESS to use a server on this machine.",
  ].join("\n");
  switch (found.kind) {
    case "closed":
      return new NavigatorError("temporal_unavailable", `No Temporal server answers at ${address}: ${found.problem}.`, {
        hint,
      });
    case "silent":
      return new NavigatorError(
        "temporal_unavailable",
        `Something accepts connections at ${address} and did not answer as a Temporal server within ${ANSWER_MS / 1000} s.`,
        { hint },
      );
    case "foreign":
      return new NavigatorError(
        "temporal_unavailable",
        `The server at ${address} is not a Temporal server: ${found.problem}.`,
        {
          hint,
        },
      );
    case "denied":
      return new NavigatorError(
        "access_denied",
        `The Temporal server at ${address} refuses access: ${found.problem}.`,
        { hint: "Check TEMPORAL_API_KEY, the TEMPORAL_TLS_* settings and TEMPORAL_NAMESPACE." },
      );
  }
}

function alreadyRunning(home: string, own: ServerRecord, port: number): NavigatorError {
  return new NavigatorError(
    "local_server_failed",
    `The embedded server of ${home} runs at ${own.address}, not on port ${port}.`,
    { hint: "Use it as it is, or stop it first: navigator server stop", details: { path: home, kind: "running" } },
  );
}

function portError(
  address: string,
  found: Exclude<Probe, { kind: "temporal" }>,
  own: ServerRecord | null,
): NavigatorError {
  if (own)
    return new NavigatorError(
      "temporal_unavailable",
      `The embedded Temporal server (pid ${own.pid}) does not answer at ${address}.`,
      { hint: "Stop it with: navigator server stop. The next command starts it again; its data is kept." },
    );
  const port = Number(address.split(":").pop());
  const hint = [
    `Choose another port: --port ${port + 100}, or NAVIGATOR_PORT=${port + 100} for every command.`,
    `See what uses it: lsof -i :${port} (or: ss -ltnp).`,
  ];
  if (found.kind === "silent")
    return new NavigatorError(
      "temporal_unavailable",
      `Something accepts connections on ${address} and did not answer as a Temporal server within ${ANSWER_MS / 1000} s.`,
      { hint: ["If it is a Temporal server that hangs, restart it.", ...hint].join("\n") },
    );
  return new NavigatorError("port_in_use", `Port ${port} is in use by a program that is not a Temporal server.`, {
    hint: hint.join("\n"),
    details: { path: `127.0.0.1:${port}` },
  });
}

/** The Web UI of a development server that somebody else started, if it is at the CLI's usual place. */
async function webUi(port: number): Promise<string | null> {
  const address = `http://127.0.0.1:${port}`;
  try {
    const response = await fetch(`${address}/api/v1/settings`, { signal: AbortSignal.timeout(1_000) });
    return response.ok ? address : null;
  } catch {
    return null; // headless, or elsewhere: unknown is a valid answer here
  }
}
