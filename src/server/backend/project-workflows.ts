import { existsSync } from "node:fs";
import path from "node:path";
import { NavigatorError } from "../../core/base/navigator-error";
import type { Logger } from "../../node/log";
import { readDefinitionFolder } from "../../project/catalog";
import type { Project } from "../../project/load";
import type { Backend } from "./backend";

const LIMIT_MS = 5_000;
const AGAIN_MS = 15_000;

/**
 * The folder of a project's workflows: from its configuration, else `workflows`, which `navigator workflow init` uses.
 */
export const workflowsFolder = ({ definitions, folder }: Pick<Project, "definitions" | "folder">): string =>
  definitions ?? path.join(folder, "workflows");

/**
 * Loads the project's own workflows once, before the first call is answered. Loading the same text again makes no new
 * version, so any number of servers may do it. A broken file is reported in the log, and the others are still loaded.
 * Without a worker it is retried from time to time.
 */
export function projectWorkflows(project: Pick<Project, "definitions" | "folder">, log: Logger) {
  const folder = workflowsFolder(project);
  let loading: Promise<void> | undefined;
  let notBefore = 0;

  const load = async ({ taskService, client }: Backend): Promise<void> => {
    if (!existsSync(folder)) return;
    const { definitions, errors } = readDefinitionFolder(folder);
    for (const { id, code, message } of errors) log.warn("workflow_not_loaded", { id, code, message });
    await client.temporal.withDeadline(Date.now() + LIMIT_MS, () =>
      Promise.all(definitions.map(({ id, definition }) => taskService.loadWorkflow(id, definition, "project"))),
    );
  };

  return async (backend: Backend): Promise<void> => {
    if (loading === undefined && Date.now() < notBefore) return;
    loading ??= load(backend);
    await loading.catch((error: Error) => {
      // A worker that starts is no mistake; without any, the call itself reports it.
      if (isNoWorker(error)) log.info("workflows_wait_for_worker", { folder, again_in_ms: AGAIN_MS });
      else log.warn("workflows_not_loaded", { folder, error: error.message });
      loading = undefined;
      notBefore = Date.now() + AGAIN_MS;
    });
  };
}

const isNoWorker = (error: Error) => error instanceof NavigatorError && error.code === "no_worker";
