import type { Client } from "@temporalio/client";
import type { ProjectName } from "../../core/base/ids";
import { keyIdOf } from "../../node/encoding/aes-gcm";
import { changePayloads, type History } from "../../node/sdk-internals/history-payloads";
import { ask } from "../errors";
import { RUNNING } from "../inbox";
import { inProject } from "../listing/project-filter";

/**
 * The open workflows of a project whose history has data of an encryption key, from the server alone: nothing is decrypted. What is
 * kept outside of the server is not looked at.
 *
 * @returns their ids, the newest first, `most` at most
 */
export async function openRunsOfKey(
  { temporal, project }: { temporal: Client; project: ProjectName },
  id: string,
  most: number,
): Promise<string[]> {
  const { workflowService } = temporal.workflow;
  const { namespace } = temporal.options;
  const query = `${RUNNING} AND ${inProject(project)}`;
  const found: string[] = [];
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = { namespace, query, ...(nextPageToken === undefined ? {} : { nextPageToken }) };
    const page = await ask(() => workflowService.listWorkflowExecutions(request));
    for (const { execution } of page.executions) {
      const { workflowId, runId } = execution ?? {};
      if (workflowId == null || runId == null) continue;
      const history = await ask(() => temporal.workflow.getHandle(workflowId, runId).fetchHistory());
      if (!(await keyIdsIn(history)).has(id)) continue;
      found.push(workflowId);
      if (found.length === most) return found;
    }
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken !== undefined);
  return found;
}

async function keyIdsIn(history: History): Promise<Set<string | undefined>> {
  const ids = new Set<string | undefined>();
  await changePayloads(history, async (payloads) => {
    for (const payload of payloads) ids.add(keyIdOf(payload));
    return payloads;
  });
  return ids;
}
