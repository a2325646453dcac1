import {
  type ListResourcesCallback,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  type Resource,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import { missionTree } from "../client/mission-tree";
import { taskWorkflowId } from "../core/base/ids";
import { renderDiagram } from "../core/graph/show/diagram";
import type { Backend } from "../server/backend/backend";
import type { ServerContext } from "./context/server-context";
import { failureOf } from "./results/errors";
import { effectsAnswer, errorOfTree, logText } from "./results/mission-texts";

/**
 * Data that can be read without a tool (mcp reference, section 3): definitions, tasks, their diagrams, logs and effects,
 * pending syncs.
 */

const JSON_TYPE = "application/json";
const MARKDOWN = "text/markdown";
const MAX_LISTED = 100;
const LIMIT_MS = 20_000;

interface Kind {
  name: string;
  /** One of many, with `{id}`; else the only one. */
  uri: string;
  title: string;
  description: string;
  mimeType: string;
  /** The existing ones, for lists and suggestions. */
  ids?(backend: Backend): Promise<{ id: string; title: string }[]>;
  read(backend: Backend, id: string): Promise<string>;
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);

const workflowIds = async ({ taskService }: Backend) =>
  (await taskService.listWorkflows()).map(({ id, name }) => ({ id, title: name }));

/** The tasks that are interesting now: those in the queue and those that wait for people. */
const taskIds = async ({ taskService }: Backend) => {
  const [next, hitl] = await Promise.all([taskService.nextTasks(MAX_LISTED), taskService.tasksByStatus("HITL")]);
  return [...(hitl.tasks.HITL ?? []), ...next].map((task) => ({
    id: task.id,
    title: `${task.id}: ${task.issueId} at ${task.currentStep}`,
  }));
};

export const KINDS: Kind[] = [
  {
    name: "workflows",
    uri: "navigator://workflows",
    title: "Workflows",
    description: "All loaded workflow definitions",
    mimeType: JSON_TYPE,
    read: async ({ taskService }) => json(await taskService.listWorkflows()),
  },
  {
    name: "workflow",
    uri: "navigator://workflows/{id}",
    title: "Workflow",
    description: "One loaded definition with its version",
    mimeType: JSON_TYPE,
    ids: workflowIds,
    read: async ({ taskService }, id) => json(await taskService.workflow(id)),
  },
  {
    name: "workflow-diagram",
    uri: "navigator://workflows/{id}/diagram",
    title: "Diagram of a workflow",
    description: "Mermaid flowchart and table of steps",
    mimeType: MARKDOWN,
    ids: workflowIds,
    read: async ({ taskService }, id) => renderDiagram((await taskService.workflow(id)).definition),
  },
  {
    name: "task",
    uri: "navigator://tasks/{id}",
    title: "Task",
    description: "One task with its history",
    mimeType: JSON_TYPE,
    ids: taskIds,
    read: async ({ taskService }, id) => json(await taskService.task(id)),
  },
  {
    name: "task-diagram",
    uri: "navigator://tasks/{id}/diagram",
    title: "Where a task is",
    description: "The task's definition with its current step marked",
    mimeType: MARKDOWN,
    ids: taskIds,
    read: async ({ taskService }, id) => {
      const [definition, task] = await Promise.all([taskService.definitionOf(id), taskService.task(id)]);
      return renderDiagram(definition, task.currentStep);
    },
  },
  {
    name: "task-log",
    uri: "navigator://tasks/{id}/log",
    title: "Mission Log of a task",
    description: "The Mission Log of a task's agents",
    mimeType: MARKDOWN,
    ids: taskIds,
    read: async ({ client, taskService }, id) => {
      await taskService.task(id);
      const tree = await missionTree(client, taskWorkflowId(id));
      const { error } = errorOfTree(tree);
      return (logText(tree) || "Nothing is recorded yet.") + (error === undefined ? "" : `\n\n${error}`);
    },
  },
  {
    name: "task-effects",
    uri: "navigator://tasks/{id}/effects",
    title: "Effects of a task",
    description: "The effects of a task's agents, each once",
    mimeType: JSON_TYPE,
    ids: taskIds,
    read: async ({ client, taskService }, id) => {
      await taskService.task(id);
      return json(await effectsAnswer(client, taskWorkflowId(id)));
    },
  },
  {
    name: "syncs",
    uri: "navigator://syncs",
    title: "Pending syncs",
    description: "Unconfirmed moves, oldest first",
    mimeType: JSON_TYPE,
    read: async ({ taskService }) => json((await taskService.pendingSyncs()).pending),
  },
];

/** Registers the resources of the server, each kind with its address. */
export function registerResources(server: McpServer, serverContext: ServerContext): void {
  for (const kind of KINDS) {
    const { name, uri, title, description, mimeType } = kind;
    const about = { title, description, mimeType };
    const read = (at: URL, id = "") => readOne(kind, at, id, serverContext);
    if (kind.ids === undefined) server.registerResource(name, uri, about, (at) => read(at));
    else
      server.registerResource(name, template(kind, serverContext), about, (at, { id }) => read(at, decodedId(`${id}`)));
  }
}

function decodedId(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `"${id}" is no id: a % stands before two hexadecimal digits.`,
    );
  }
}

function template(kind: Kind, serverContext: ServerContext): ResourceTemplate {
  const { uri, ids = async () => [], mimeType, title: what } = kind;
  const list: ListResourcesCallback = async () => ({
    resources: (await there(serverContext, ids)).slice(0, MAX_LISTED).map(
      ({ id, title }): Resource => ({
        uri: uri.replace("{id}", encodeURIComponent(id)),
        name: id,
        title: `${what}: ${title}`,
        mimeType,
      }),
    ),
  });
  const complete = async (typed: string) =>
    (await there(serverContext, ids)).map(({ id }) => encodeURIComponent(id)).filter((id) => id.startsWith(typed));
  return new ResourceTemplate(uri, { list, complete: { id: complete } });
}

/** A list that cannot be read now must not hide the other lists. */
async function there(
  serverContext: ServerContext,
  ids: NonNullable<Kind["ids"]>,
): Promise<{ id: string; title: string }[]> {
  try {
    const backend = await serverContext.backend();
    return await backend.client.temporal.withDeadline(Date.now() + LIMIT_MS, () => ids(backend));
  } catch (error) {
    serverContext.log.info("mcp_resources_not_listed", { error: (error as Error).message });
    return [];
  }
}

async function readOne(kind: Kind, uri: URL, id: string, serverContext: ServerContext): Promise<ReadResourceResult> {
  let backend: Backend | undefined;
  try {
    const opened = await serverContext.backend();
    backend = opened;
    const text = await opened.client.temporal.withDeadline(Date.now() + LIMIT_MS, () => kind.read(opened, id));
    return { contents: [{ uri: uri.href, mimeType: kind.mimeType, text }] };
  } catch (error) {
    const { code, message, hint } = await failureOf(error, backend, serverContext.log);
    const absent = code.endsWith("_not_found");
    throw new ProtocolError(absent ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, message, {
      code,
      hint,
    });
  }
}
