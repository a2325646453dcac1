import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { NavigatorError } from "../core/base/navigator-error";
import { SEARCH_ATTRIBUTES } from "../core/base/search-attributes";
import type { Config } from "../node/settings";
import { runningServer } from "./dev-server";
import { capabilitiesOf, type Feature, lackingFeatures } from "./features";
import { whichExecutable } from "./install";
import { homeOfServerAt } from "./local-servers";
import { type FoundServer, findServer } from "./open-server";
import { splitAddress } from "./probe";
import { missingSearchAttributes } from "./search-attributes";
import { BUILT_CLI, DOWNLOADED_CLI, findCli } from "./temporal-cli";

/** `missing`: Navigator cannot run without it. `note`: it can, and a person should know. */
export interface Check {
  name: string;
  state: "ok" | "note" | "missing";
  found: string;
  hint?: string;
}

export interface Diagnosis {
  /** A server runs, or can be started on this machine. */
  ready: boolean;
  checks: Check[];
  /** null: none runs now. */
  server: { address: string; namespace: string } | null;
}

/** Checks everything that a mission needs. It changes nothing and starts nothing. */
export async function diagnose(config: Config, env: NodeJS.ProcessEnv): Promise<Diagnosis> {
  const server = await checkServer(config);
  const cli = await checkCliAvailable(config, env);
  const inNamespace = server.found ? await checkNamespace(config, server.found) : [];
  const node: Check = { name: "Node.js", state: "ok", found: process.versions.node };
  return {
    ready:
      [...server.checks, ...inNamespace].every((check) => check.state !== "missing") &&
      (server.found !== null || cli.state !== "missing"),
    checks: [node, ...server.checks, ...inNamespace, cli],
    server: server.found && { address: server.found.address, namespace: server.found.namespace },
  };
}

async function checkServer(config: Config): Promise<{ found: FoundServer | null; checks: Check[] }> {
  const name = "Temporal server";
  try {
    const found = await findServer({ config });
    if (!found)
      return {
        found,
        checks: [{ name, state: "note", found: `none at 127.0.0.1:${config.port}; it is started when needed` }],
      };
    const checks: Check[] = [{ name, state: "ok", found: `${found.version} at ${found.address} (${found.source})` }];
    if (found.uiAddress) checks.push({ name: "Web UI", state: "ok", found: found.uiAddress });
    return { found, checks };
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    return { found: null, checks: [{ name, state: "missing", found: error.message, hint: error.hint }] };
  }
}

/** No server reports whether its queues are fair. Those of an embedded server are, of this folder or of another. */
function checkQueues({ home, cache }: Config, address: string): Check {
  const isEmbedded =
    runningServer(home)?.address === address || homeOfServerAt(cache, splitAddress(address).port) !== null;
  if (isEmbedded) return { name: "Fair queues", state: "ok", found: "priorities, and a turn for each project" };
  return {
    name: "Fair queues",
    state: "note",
    found: "not known: a server does not report whether its queues are fair",
    hint: 'They need server 1.29. On a cluster set matching.enableFairness, on Temporal Cloud turn on fairness for the namespace (docs/operations.md, "Fair queues").',
  };
}

async function checkNamespace(config: Config, { address, namespace }: FoundServer): Promise<Check[]> {
  const { Connection } = await import("@temporalio/client");
  const connection = await Connection.connect({ ...config.temporal.connectionOptions, address });
  try {
    const missing = await missingSearchAttributes(connection, namespace);
    const all = Object.keys(SEARCH_ATTRIBUTES).length;
    return [
      { name: "Namespace", state: "ok", found: namespace },
      missing.length === 0
        ? { name: "Search attributes", state: "ok", found: `all ${all}` }
        : {
            name: "Search attributes",
            state: "note",
            found: `${missing.join(", ")} missing; a worker creates them when it starts`,
          },
      ...featureChecks(lackingFeatures(await capabilitiesOf(connection, namespace))),
      checkQueues(config, address),
    ];
  } catch (error) {
    if (!(error instanceof NavigatorError)) throw error;
    const name = error.code === "namespace_not_found" ? "Namespace" : "Search attributes";
    return [{ name, state: "missing", found: error.message, hint: error.hint }];
  } finally {
    await connection.close();
  }
}

const featureChecks = (lacking: readonly Feature[]): Check[] =>
  lacking.length === 0
    ? [{ name: "Server features", state: "ok", found: "all that Navigator uses" }]
    : lacking.map(({ name, isNeeded, without }) => ({
        name: "Server features",
        state: isNeeded === true ? "missing" : "note",
        found: `no ${name}`,
        hint: without,
      }));

async function checkCliAvailable(config: Config, env: NodeJS.ProcessEnv): Promise<Check> {
  const name = "Temporal CLI";
  const problems: string[] = [];
  const cli = await findCli({ ...config, env, progress: (line) => problems.push(line) });
  if (cli) return { name, state: "ok", found: `${cli.version} at ${cli.executable}` };
  if (await answers(config.downloadBase))
    return {
      name,
      state: "note",
      found: `not installed; ${DOWNLOADED_CLI} will be downloaded from ${config.downloadBase}`,
    };
  if (await goCanFetch(env))
    return { name, state: "note", found: `not installed; Go will build ${BUILT_CLI} (about 3 minutes, once)` };
  return {
    name,
    state: "missing",
    found: [...problems, `not installed, ${config.downloadBase} does not answer, and Go cannot fetch it`].join(" "),
    hint: "Install it from https://docs.temporal.io/cli, or set TEMPORAL_ADDRESS to a server that runs elsewhere.",
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url, { method: "HEAD", signal: AbortSignal.timeout(3_000) });
    return true;
  } catch {
    return false; // whatever the reason, this way is not available
  }
}

async function goCanFetch(env: NodeJS.ProcessEnv): Promise<boolean> {
  const go = whichExecutable("go", env);
  if (!go) return false;
  try {
    await promisify(execFile)(go, ["list", "-m", `github.com/temporalio/cli@v${BUILT_CLI}`], {
      env,
      timeout: 20_000,
    });
    return true;
  } catch {
    return false; // the module proxy cannot be reached, or Go is broken: either way it cannot build
  }
}
