import type { Connection } from "@temporalio/client";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import type { ProjectName } from "../../core/base/ids";
import type { Logger } from "../../node/log";
import type { Config } from "../../node/settings";
import type { ProjectEncoding } from "../../project/encoding";
import type { Project } from "../../project/load";
import type { Backend } from "./backend";
import { projectWorkflows } from "./project-workflows";

const LOOK_MS = 2_000;

export interface LazyBackend {
  backend(): Promise<Backend>;
  close(): Promise<void>;
}

/**
 * A backend that is looked up on first use, and again at each call until it is available: a server of ours starts at once
 * and survives every outage of its Temporal server. It starts no server: `navigator dev` does that.
 */
export function lazyBackend(
  config: Config,
  options: {
    project: Pick<Project, "folder" | "agents" | "definitions" | "name" | "encoding">;
    model: string;
    log: Logger;
  },
): LazyBackend {
  const { project, model, log } = options;
  const prepare = projectWorkflows(project, log);
  let opening: Promise<{ backend: Backend; connection: Connection }> | undefined;
  const open = () => {
    opening ??= connect(config, {
      agents: project.agents,
      model,
      project: project.name,
      encoding: project.encoding,
    }).catch((error: unknown) => {
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
  options: {
    agents: { [name: string]: AgentDefinition };
    model: string;
    project: ProjectName;
    encoding: ProjectEncoding;
  },
) {
  const [
    { Client, Connection },
    server,
    { probe },
    { ensureSearchAttributes },
    { NavigatorClient },
    { TaskService },
    { ownWorkflows },
    { refusingSecretsInIds },
    { knownSecrets },
  ] = await Promise.all([
    import("@temporalio/client"),
    import("../open-server"),
    import("../probe"),
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
  const { dataConverter } = options.encoding;
  const own = ownWorkflows(connection, options.project);
  const client = new NavigatorClient(
    new Client({
      connection: own,
      namespace,
      dataConverter,
      interceptors: { workflow: [refusingSecretsInIds(knownSecrets)] },
    }),
    {
      project: options.project,
      ...(config.taskQueue === null ? {} : { taskQueue: config.taskQueue }),
    },
  );
  const taskService = new TaskService(client, options);
  const unreachable = async () => {
    const found = await probe(address, LOOK_MS, settings);
    if (found.kind === "temporal") return null;
    return `The Temporal server at ${address} does not answer: ${"problem" in found ? found.problem : found.kind}.`;
  };
  return { backend: { taskService, client, unreachable }, connection };
}
