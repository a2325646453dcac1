import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import path from "node:path";
import { Connection } from "@temporalio/client";
import { loadConfig } from "../../../src/node/settings";
import { BUILT_CLI } from "../../../src/server/temporal-cli";
import { until } from "../until";
import { freeLowPort } from "./free-port";
import type { OwnPostgres } from "./postgres";

/** The Temporal server as a cluster has it: on PostgreSQL, with its schema, and without anything of the development server. */
export interface TemporalCluster {
  address: string;
  /** Ends the server as a power failure does. */
  kill(): Promise<void>;
  /** On the databases of that name, which keep all that it knows. */
  start(databases: Databases): Promise<void>;
  stop(): Promise<void>;
}

/** The names of its two databases. */
export interface Databases {
  store: string;
  visibility: string;
}

const ROOT = path.join(__dirname, "../../..");

/** Makes the databases, as docker/setup-schema.sh does. */
export function createSchema({ port }: OwnPostgres, { store, visibility }: Databases): void {
  const { sql } = programs();
  for (const [database, schema] of [
    [store, "temporal"],
    [visibility, "visibility"],
  ] as const) {
    const tool = (...args: string[]) =>
      execFileSync(
        sql,
        [
          "--plugin",
          "postgres12",
          "--ep",
          "127.0.0.1",
          "-p",
          String(port),
          "-u",
          "navigator",
          "--db",
          database,
          ...args,
        ],
        { stdio: ["ignore", "ignore", "pipe"] },
      );
    tool("create-database");
    tool("setup-schema", "-v", "0.0");
    tool("update-schema", "--schema-name", `postgresql/v12/${schema}`);
  }
}

/** A cluster of one process; `start` starts it. */
export async function openCluster(postgres: OwnPostgres, folder: string): Promise<TemporalCluster> {
  const { server } = programs();
  const names = ["FRONTEND_GRPC", "FRONTEND_HTTP", "FRONTEND_MEMBERSHIP", "INTERNAL_FRONTEND_HTTP"];
  const services = ["HISTORY", "MATCHING", "WORKER"].flatMap((name) => [`${name}_GRPC`, `${name}_MEMBERSHIP`]);
  const all = [...names, ...services];
  // Nobody listens on them yet: the same one may be free twice.
  const free = new Set<number>();
  while (free.size < all.length) free.add(await freeLowPort());
  const ports = [...free].map((port, n): [string, string] => [`${all[n]}_PORT`, String(port)]);
  const address = `127.0.0.1:${Object.fromEntries(ports).FRONTEND_GRPC_PORT}`;
  let child: ChildProcess | null = null;
  let said = "";
  const end = async (signal: NodeJS.Signals) => {
    const own = child;
    child = null;
    if (own === null || own.exitCode !== null || own.signalCode !== null) return;
    const gone = once(own, "exit");
    own.kill(signal);
    await gone;
  };
  return {
    address,
    kill: () => end("SIGKILL"),
    stop: () => end("SIGTERM"),
    start: async ({ store, visibility }) => {
      const own = spawn(server, ["--root", path.dirname(server), "--env", "docker", "--allow-no-auth", "start"], {
        cwd: folder,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env.PATH,
          ...Object.fromEntries(ports),
          ...{
            DB: "postgres12",
            DB_PORT: String(postgres.port),
            VISIBILITY_DB_PORT: String(postgres.port),
            POSTGRES_SEEDS: "127.0.0.1",
          },
          ...{ POSTGRES_USER: "navigator", POSTGRES_PWD: "none", DBNAME: store, VISIBILITY_DBNAME: visibility },
          ...{ BIND_ON_IP: "127.0.0.1", TEMPORAL_BROADCAST_ADDRESS: "127.0.0.1", NUM_HISTORY_SHARDS: "4" },
          DYNAMIC_CONFIG_FILE_PATH: path.join(ROOT, "docker", "dynamicconfig.yaml"),
          LOG_LEVEL: "error",
        },
      });
      child = own;
      for (const stream of [own.stdout, own.stderr])
        stream.on("data", (chunk) => {
          said = `${said}${chunk}`.slice(-4_000);
        });
      await until(async () => {
        if (own.exitCode !== null) return true;
        const connection = await Connection.connect({ address, connectTimeout: "2s" });
        try {
          await connection.workflowService.getClusterInfo({});
          return true;
        } finally {
          await connection.close();
        }
      }, `the Temporal server answers at ${address}`);
      if (own.exitCode !== null) throw new Error(`The Temporal server ended with ${own.exitCode}: ${said}`);
    },
  };
}

function programs(): { server: string; sql: string } {
  const folder = path.join(loadConfig().cache, `temporal-server-of-cli-${BUILT_CLI}`);
  if (!existsSync(folder))
    throw new Error("There is no Temporal server here: node -r ./scripts/register-ts.cjs scripts/temporal-server.ts");
  return { server: path.join(folder, "server"), sql: path.join(folder, "sql") };
}
