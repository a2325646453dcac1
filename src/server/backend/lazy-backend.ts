import type { Connection } from "@temporalio/client";
import type { Logger } from "../../node/log";
import type { Config } from "../../node/settings";
import type { Project } from "../../project/load";
import type { Backend } from "./backend";
import { projectWorkflows } from "./project-workflows";

const LOOK_MS = 2_000;

export interface LazyBackend {
  backend(): Promise<Backend>;
  close(): Promise<void>;
}

interface LazyBackendOptions {
  project: Pick<Project, "folder" | "agents" | "definitions" | "name" | "encoding">;
  /** The model of agents that name none. */
  model: string;
  log: Logger;
}

/**
 * A backend that is looked up on first use, and again at each call until it is available: a server of ours starts at once
 * and survives every outage of its Temporal server. It starts no server, unless a command was killed that was starting one: `navigator dev` does that.
 */
export function lazyBackend(config: Config, options: LazyBackendOptions): LazyBackend {
  const prepare = projectWorkflows(options.project, options.log);
  let opening: ReturnType<typeof connect> | undefined;
  const open = () => {
    opening ??= connect(config, options).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    backend: async () => {
      const { backend } = await open();
      await prepare(backend);
      return backend;
    },
    close: async () => {
      const opened = await opening?.catch(() => undefined);
      await opened?.connection.close();
    },
  };
}

async function connect(
  config: Config,
  { project, model }: LazyBackendOptions,
): Promise<{ backend: Backend; connection: Connection }> {
  const [
    { Client, Connection },
    server,
    { ensureSearchAttributes },
    { NavigatorClient },
    { TaskService },
    { ownWorkflows },
    { refusingSecretsInIds },
    { knownSecrets },
  ] = await Promise.all([
    import("@temporalio/client"),
    import("../open-server"),
    import("../search-attributes"),
    import("../../client/client"),
    import("../../client/tasks/task-service"),
    import("./own-workflows"),
    import("../../node/encoding/secret-guard"),
    import("../../node/secrets/known-secrets"),
  ]);
  const { address, namespace } = await server.openServer(config, { start: false, progress: () => {} });
  const settings = { ...config.temporal.connectionOptions, address };
  const connection = await Connection.connect(settings);
  await ensureSearchAttributes(connection, namespace);
  const temporal = new Client({
    connection: ownWorkflows(connection, project.name),
    namespace,
    dataConverter: project.encoding.dataConverter,
    interceptors: { workflow: [refusingSecretsInIds(knownSecrets)] },
  });
  const client = new NavigatorClient(temporal, {
    project: project.name,
    ...(config.taskQueue === null ? {} : { taskQueue: config.taskQueue }),
  });
  const taskService = new TaskService(client, { agents: project.agents, model });
  return { backend: { taskService, client, unreachable: () => whyUnreachable(settings) }, connection };
}

async function whyUnreachable(settings: { address: string }): Promise<string | null> {
  const { probe } = await import("../probe");
  const { address } = settings;
  const found = await probe(address, LOOK_MS, settings);
  if (found.kind === "temporal") return null;
  return `The Temporal server at ${address} does not answer: ${"problem" in found ? found.problem : found.kind}.`;
}
