import type { NavigatorClient } from "../../client/client";
import type { Config } from "../../node/settings";
import type { ProjectEncoding } from "../../project/encoding";
import { EXIT, type ExitCode } from "../terminal/exit";
import type { CommandIo } from "../terminal/io";

/** A connection to a found or started server, for the duration of one command. */
export interface Session {
  client: NavigatorClient;
  config: Config;
  address: string;
  namespace: string;
  /** The encoding of the project, which the client has: a worker in the same process takes the same. */
  encoding: ProjectEncoding;
  /** Address of the Temporal Web UI, where it is known. */
  uiAddress: string | null;
}

/** A running worker answers in milliseconds. */
export const ANSWER_MS = 10_000;

/**
 * What a command does with the server:
 * - `start` starts an embedded one if none is found. It keeps running after the command (`navigator server stop` ends
 *   it), because work that was started there may wait for somebody.
 * - `read` reads histories and lists.
 * - `ask` asks a worker, for `ANSWER_MS` or another number of ms: without a limit a workflow without a worker would
 *   block the command for half a minute or longer.
 */
type Use = "start" | "read" | "ask" | number;

/** Runs a command against a Temporal server. Its exit code is what `work` returns, else 0. */
export async function withSession(
  io: CommandIo,
  use: Use,
  work: (session: Session) => Promise<ExitCode | undefined>,
): Promise<void> {
  // Imported here: commands that need no server start without loading Temporal's libraries.
  const [
    { Client, Connection },
    { loadConfig },
    server,
    { ensureSearchAttributes },
    { NavigatorClient },
    { projectName },
    { encodingOfFolder },
    { refusingSecretsInIds },
    { knownSecrets },
  ] = await Promise.all([
    import("@temporalio/client"),
    import("../../node/settings"),
    import("../../server/open-server"),
    import("../../server/search-attributes"),
    import("../../client/client"),
    import("../../project/name"),
    import("../../project/encoding"),
    import("../../node/encoding/secret-guard"),
    import("../../node/secrets/known-secrets"),
  ]);
  const config = loadConfig();
  const project = await projectName(process.env, io.config);
  const encoding = await encodingOfFolder(process.env, io.config);
  const { dataConverter } = encoding;
  const found = await server.openServer(config, { start: use === "start", progress: (line: string) => io.err(line) });
  const connection = await Connection.connect({ ...config.temporal.connectionOptions, address: found.address });
  try {
    await ensureSearchAttributes(connection, found.namespace);
    const client = new NavigatorClient(
      new Client({
        connection,
        namespace: found.namespace,
        dataConverter,
        interceptors: { workflow: [refusingSecretsInIds(knownSecrets)] },
      }),
      {
        project,
        ...(config.taskQueue === null ? {} : { taskQueue: config.taskQueue }),
      },
    );
    const { address, namespace, uiAddress } = found;
    const run = () => work({ client, config, address, namespace, uiAddress, encoding });
    const within_ms = use === "ask" ? ANSWER_MS : use;
    const code = typeof within_ms === "number" ? connection.withDeadline(Date.now() + within_ms, run) : run();
    process.exitCode = (await code) ?? EXIT.done;
  } finally {
    await connection.close();
  }
}

/** Where the Temporal Web UI shows a workflow. */
export function uiLink(session: Pick<Session, "uiAddress" | "namespace">, workflowId: string): string | null {
  if (session.uiAddress === null) return null;
  return `${session.uiAddress}/namespaces/${session.namespace}/workflows/${encodeURIComponent(workflowId)}`;
}
