import type { NavigatorClient } from "../../src/client/client";
import { missionQuery } from "../../src/client/missions";
import { ATTRIBUTE } from "../../src/core/base/search-attributes";

/** A list of the API, and the one Visibility call that nobody can do without. */
export interface MeasuredList {
  path: string;
  /** What the bare call asks for. */
  bare: (client: NavigatorClient) => Promise<unknown>;
}

const SIZE = 50;

const list = (query: (client: NavigatorClient) => string, pageSize = SIZE): MeasuredList["bare"] => {
  return (client) => {
    const { workflow, options } = client.temporal;
    return workflow.workflowService.listWorkflowExecutions({
      namespace: options.namespace,
      query: query(client),
      pageSize,
    });
  };
};
const count = (query: (client: NavigatorClient) => string): MeasuredList["bare"] => {
  return (client) => client.temporal.workflow.count(query(client));
};

const WAITING = `ExecutionStatus = "Running" AND ${ATTRIBUTE.openReviews} > 0`;
const all = (client: NavigatorClient) => missionQuery(client, {});
const tasks = (client: NavigatorClient) => missionQuery(client, { kind: "task" });

/** All lists that pages show. */
export const LISTS: readonly MeasuredList[] = [
  { path: `/api/missions?size=${SIZE}`, bare: list(all) },
  {
    path: `/api/missions?size=${SIZE}&state=waiting`,
    bare: list((client) => missionQuery(client, { state: "waiting" })),
  },
  { path: `/api/missions?size=${SIZE}&text=sign`, bare: list(all, 100) },
  { path: "/api/missions/counts", bare: count(all) },
  { path: `/api/inbox?size=${SIZE}`, bare: list(() => WAITING) },
  { path: `/api/inbox?size=${SIZE}&assignee=anna`, bare: list(() => `${WAITING} AND ${ATTRIBUTE.assignees} = "anna"`) },
  { path: "/api/inbox/counts", bare: count(() => WAITING) },
  { path: `/api/tasks?size=${SIZE}`, bare: list(tasks) },
  { path: "/api/tasks/counts", bare: count(tasks) },
  { path: "/api/plans", bare: list((client) => missionQuery(client, { kind: "plan" })) },
  { path: "/api/graphs", bare: list(() => `${ATTRIBUTE.kind} = "definition"`) },
  { path: "/api/queue", bare: count(tasks) },
  { path: "/api/syncs", bare: count(() => `${ATTRIBUTE.pendingSyncs} > 0`) },
  { path: "/api/costs?by=day", bare: list(all, 500) },
  { path: "/metrics", bare: count(all) },
];
