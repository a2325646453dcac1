import { homedir } from "node:os";
import path from "node:path";
import { loadClientConnectConfig } from "@temporalio/envconfig";
import { z } from "zod";
import { durationMs } from "../core/base/duration";
import { BLOCKED_TIMEOUT_MS } from "../core/base/limits";
import { NavigatorError } from "../core/base/navigator-error";
import { CAPACITY_SETTINGS, WorkerCapacity } from "./worker-capacity";

/** The error for settings that cannot be used; `details` has one entry for each. */
const badSettings = (details: { setting: string; problem: string }[]): NavigatorError =>
  new NavigatorError(
    "bad_config",
    `Bad configuration: ${details.map((d) => `${d.setting}: ${d.problem}`).join("; ")}.`,
    {
      hint: "Correct the setting, or unset it to use the default.",
      details: { path: details[0]?.setting ?? "", issues: details },
    },
  );

/** The text of model calls is in the history of their mission as well: its stream is for those who read along. */
const STREAMS_KEEP_MS = 14 * 24 * 60 * 60 * 1_000;

/** A client that is started again soon finds everything running. */
const MCP_IDLE_MS = 10 * 60 * 1_000;

const optionalText = z
  .string()
  .trim()
  .optional()
  .transform((text) => text || undefined);

const Environment = z.object({
  NAVIGATOR_HOME: optionalText.transform((dir) => path.resolve(dir ?? ".navigator")),
  NAVIGATOR_CACHE: optionalText.transform((dir) => path.resolve(dir ?? path.join(homedir(), ".cache", "navigator"))),
  NAVIGATOR_IDENTITY: optionalText.transform((dir) =>
    path.resolve(dir ?? path.join(homedir(), ".config", "navigator")),
  ),
  NAVIGATOR_ENCRYPTION_KEYS: optionalText.transform((text) => text ?? null),
  NAVIGATOR_PORT: optionalText
    .transform((text) => Number(text ?? 7233))
    .pipe(
      z
        .int("must be a port number")
        .min(1, "must be 1..64535")
        .max(64535, "must be 1..64535: the Web UI takes port + 1000"),
    ),
  NAVIGATOR_TASK_QUEUE: optionalText.transform((name) => name ?? null),
  NAVIGATOR_MODEL: optionalText.pipe(
    z
      .string()
      .regex(
        /^(scripted|scripted:.+|[^/\s:]+\/\S+)$/,
        'must be "provider/model" (as in "anthropic/claude-sonnet-4-5"), "scripted" or "scripted:FILE"',
      )
      .transform(scriptFromHere)
      .optional(),
  ),
  NAVIGATOR_BLOCKED_TIMEOUT: optionalText
    .transform((text) => (text === undefined ? BLOCKED_TIMEOUT_MS : text === "0" ? 0 : durationMs(text)))
    .pipe(z.number('must be a text such as "24h", or 0')),
  NAVIGATOR_NOTIFY_URL: optionalText.pipe(
    z.url({ protocol: /^https?$/, error: "must be an http(s) address" }).optional(),
  ),
  NAVIGATOR_NOTIFY_SECRET: optionalText.transform((secret) => secret ?? null),
  NAVIGATOR_STREAMS_KEEP: optionalText
    .transform((text) => (text === undefined ? STREAMS_KEEP_MS : text === "0" ? 0 : durationMs(text)))
    .pipe(z.number('must be a text such as "14d", or 0')),
  NAVIGATOR_STREAMS_URL: optionalText.pipe(
    z.url({ protocol: /^postgres(ql)?$/, error: "must be postgres://USER:PASSWORD@HOST/DATABASE" }).optional(),
  ),
  NAVIGATOR_MCP_TOKEN: optionalText.transform((token) => token ?? null),
  NAVIGATOR_MCP_IDLE: optionalText
    .transform((text) => (text === undefined ? MCP_IDLE_MS : durationMs(text)))
    .pipe(z.number('must be a text such as "10m"')),
  NAVIGATOR_MCP_WORKER: optionalText
    .pipe(z.enum(["0", "1"], "must be 0 or 1").optional())
    .transform((on) => on === "1"),
  NAVIGATOR_MCP_STATE_KEY: optionalText
    .pipe(z.string().min(32, "must be a random text of 32 characters or more").optional())
    .transform((key) => key ?? null),
  NAVIGATOR_LOG_LEVEL: optionalText.pipe(
    z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("warn"),
  ),
  NAVIGATOR_DOWNLOAD_BASE: optionalText.transform((url) => url ?? "https://temporal.download").pipe(z.url()),
});

/**
 * A model name for another process: the file of `scripted:FILE` is relative to the current folder, and the worker that
 * reads it may run in another.
 */
export function scriptFromHere(model: string): string {
  const file = /^scripted:(.+)$/.exec(model)?.[1];
  return file === undefined ? model : `scripted:${path.resolve(file)}`;
}

/** All settings that Navigator reads from the environment, complete. */
export interface Config {
  /** Absolute: the embedded server's database, log and pid file. */
  home: string;
  /** Absolute: the Temporal CLI, shared by all projects of this user. */
  cache: string;
  /** Absolute: the private keys of this user, and who the user is in which project. */
  identity: string;
  /** Encryption keys of the project: the path of a key file, or its text; null = the file that `navigator keys` keeps below `identity`. */
  encryptionKeys: string | null;
  /** gRPC port of the embedded server; its Web UI is at port + 1000. */
  port: number;
  /** null: the project's own, `navigator-PROJECT`. */
  taskQueue: string | null;
  /** `provider/model`, `scripted` or `scripted:<absolute path>`; null: the command decides (default `scripted`). */
  model: string | null;
  /**
   * How long a call waits for a worker that has the tool, model or key that it needs, in milliseconds; 0 = it fails at
   * once.
   */
  blockedTimeoutMs: number;
  /** Webhook for reviews; null = that of the project, or none. */
  notifyUrl: string | null;
  /** Signs what the webhook is sent, unless the project names another secret. */
  notifySecret: string | null;
  /** The database that keeps the text of model calls while it comes; null = files below `home`. */
  streamsUrl: string | null;
  /** How long a stream is kept after its last word, in milliseconds; 0 = for ever. */
  streamsKeepMs: number;
  /** The token that HTTP clients of the MCP server must send; null = none, unless the command sets one. */
  mcpToken: string | null;
  /** How long the background process of MCP sessions continues after the last of them, in milliseconds. */
  mcpIdleMs: number;
  /** Whether MCP sessions may start a worker where the Temporal server is not an embedded one. */
  mcpWorker: boolean;
  /** Signs the questions of MCP servers on several machines; null = the key that this user's servers share on this machine. */
  mcpStateKey: string | null;
  /** How much a worker does at the same time; it wins over the project's `worker`. */
  workerCapacity: WorkerCapacity;
  logLevel: z.infer<typeof Environment>["NAVIGATOR_LOG_LEVEL"];
  /** Where the Temporal CLI is downloaded from: temporal.download or a mirror. */
  downloadBase: string;
  temporal: {
    /** null: no cluster was named, so a local one is looked up or started. */
    address: string | null;
    namespace: string;
    /** For `Connection.connect` and `NativeConnection.connect`; TLS and API key included. */
    connectionOptions: ReturnType<typeof loadClientConnectConfig>["connectionOptions"];
  };
}

/** The folder of what all projects of this user share on this machine. */
export const cacheFolder = (env: NodeJS.ProcessEnv = process.env): string =>
  Environment.shape.NAVIGATOR_CACHE.parse(env.NAVIGATOR_CACHE);

/**
 * Reads the environment, and Temporal's own settings (`TEMPORAL_*`, profiles of its TOML file) as every Temporal tool does.
 *
 * @throws NavigatorError `bad_config` that names every bad setting.
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const parsed = Environment.safeParse(env);
  if (!parsed.success)
    throw badSettings(parsed.error.issues.map((issue) => ({ setting: issue.path.join("."), problem: issue.message })));
  const settings = parsed.data;
  const workerCapacity = capacityIn(env);
  return {
    workerCapacity,
    home: settings.NAVIGATOR_HOME,
    cache: settings.NAVIGATOR_CACHE,
    identity: settings.NAVIGATOR_IDENTITY,
    encryptionKeys: settings.NAVIGATOR_ENCRYPTION_KEYS,
    port: settings.NAVIGATOR_PORT,
    taskQueue: settings.NAVIGATOR_TASK_QUEUE,
    model: settings.NAVIGATOR_MODEL ?? null,
    blockedTimeoutMs: settings.NAVIGATOR_BLOCKED_TIMEOUT,
    notifyUrl: settings.NAVIGATOR_NOTIFY_URL ?? null,
    notifySecret: settings.NAVIGATOR_NOTIFY_SECRET,
    streamsUrl: settings.NAVIGATOR_STREAMS_URL ?? null,
    streamsKeepMs: settings.NAVIGATOR_STREAMS_KEEP,
    mcpToken: settings.NAVIGATOR_MCP_TOKEN,
    mcpIdleMs: settings.NAVIGATOR_MCP_IDLE,
    mcpWorker: settings.NAVIGATOR_MCP_WORKER,
    mcpStateKey: settings.NAVIGATOR_MCP_STATE_KEY,
    logLevel: settings.NAVIGATOR_LOG_LEVEL,
    downloadBase: settings.NAVIGATOR_DOWNLOAD_BASE,
    temporal: temporalSettings(env),
  };
}

/** @throws NavigatorError `bad_config` */
function capacityIn(env: NodeJS.ProcessEnv): WorkerCapacity {
  const set = CAPACITY_SETTINGS.flatMap(([field, variable]) => {
    const text = env[variable]?.trim();
    return text ? [[field, Number(text)] as const] : [];
  });
  const parsed = WorkerCapacity.safeParse(Object.fromEntries(set));
  if (parsed.success) return parsed.data;
  const variableOf = (field: unknown) => CAPACITY_SETTINGS.find(([name]) => name === field)?.[1] ?? String(field);
  throw badSettings(
    parsed.error.issues.map(({ path: [field], message }) => ({ setting: variableOf(field), problem: message })),
  );
}

function temporalSettings(env: NodeJS.ProcessEnv): Config["temporal"] {
  try {
    const { connectionOptions, namespace } = loadClientConnectConfig({ overrideEnvVars: definedOnly(env) });
    return { address: connectionOptions.address || null, namespace: namespace || "default", connectionOptions };
  } catch (error) {
    throw badSettings([{ setting: "TEMPORAL_*", problem: (error as Error).message }]);
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
