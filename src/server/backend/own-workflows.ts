import type { Connection } from "@temporalio/client";
import { ALL_PROJECTS, type ProjectName, projectOf } from "../../core/base/ids";

/** The parts of requests to Temporal's workflow service that name a workflow. */
interface Named {
  workflowId?: string | null;
  execution?: { workflowId?: string | null } | null;
  workflowExecution?: { workflowId?: string | null } | null;
  updateRef?: { workflowExecution?: { workflowId?: string | null } | null } | null;
  operations?: { startWorkflow?: Named | null; updateWorkflow?: Named | null }[] | null;
}

type Call = (request: unknown, ...rest: unknown[]) => unknown;

/** The gRPC status of something that is not there. */
const NOT_FOUND = 5;

/**
 * A connection for a server, whose callers are of one project: a workflow of another project in the namespace is not there,
 * whatever names it. Lists leave out such workflows. A count may count them.
 */
export function ownWorkflows(connection: Connection, project: ProjectName): Connection {
  if (project === ALL_PROJECTS) return connection;
  const workflowService = new Proxy(connection.workflowService, {
    get(service, name) {
      const method: unknown = Reflect.get(service, name);
      if (typeof method !== "function") return method;
      const call = method as Call;
      return (request: unknown, ...rest: unknown[]) => {
        const foreign = idsIn(request as Named | null).find((id) => projectOf(id) !== project);
        if (foreign !== undefined) return Promise.reject(notFound(foreign));
        const answer = call.call(service, request, ...rest);
        return name === "listWorkflowExecutions" ? (answer as Promise<Listed>).then(ownOf(project)) : answer;
      };
    },
  });
  return new Proxy(connection, {
    get: (target, name, receiver) =>
      name === "workflowService" ? workflowService : (Reflect.get(target, name, receiver) as unknown),
  });
}

function idsIn(request: Named | null): string[] {
  if (request === null || typeof request !== "object") return [];
  const { workflowId, execution, workflowExecution, updateRef, operations } = request;
  const here = [
    workflowId,
    execution?.workflowId,
    workflowExecution?.workflowId,
    updateRef?.workflowExecution?.workflowId,
  ];
  const below = (operations ?? []).flatMap((one) => [
    ...idsIn(one.startWorkflow ?? null),
    ...idsIn(one.updateWorkflow ?? null),
  ]);
  return [...here.filter((id): id is string => typeof id === "string" && id !== ""), ...below];
}

interface Listed {
  executions?: { execution?: { workflowId?: string | null } | null }[] | null;
}

const ownOf =
  (project: ProjectName) =>
  (answer: Listed): Listed => {
    answer.executions = answer.executions?.filter(
      ({ execution }) => projectOf(execution?.workflowId ?? "") === project,
    );
    return answer;
  };

/** The server's message for a workflow that does not exist: nobody learns which there are. */
const notFound = (workflowId: string): Error =>
  Object.assign(new Error(`workflow not found for ID: ${workflowId}`), {
    code: NOT_FOUND,
    details: `workflow not found for ID: ${workflowId}`,
    // No details besides.
    metadata: { get: () => [] },
  });
