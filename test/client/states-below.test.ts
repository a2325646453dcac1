import type { WorkflowExecutionInfo } from "@temporalio/client";
import { stateQuery, statesBelow, withBelow } from "../../src/client/listing/states-below";

/** A run as the server lists it. */
const run = (workflowId: string, status: string) =>
  ({
    workflowId,
    status: { name: "RUNNING" },
    searchAttributes: { NavigatorStatus: [status] },
  }) as unknown as WorkflowExecutionInfo;

const below = statesBelow([
  run("plan/x/1/pay/1", "WAITING"),
  run("plan/x/1/ship/1", "BLOCKED"),
  run("shop:task/y/build/1", "WAITING"),
  run("agent/z/child/1.1", "RUNNING"),
  run("agent/w", "WAITING"),
]);

test("a mission that runs has the state of what waits below it, and people see first what is blocked", () => {
  expect(Object.fromEntries(below)).toEqual({
    "plan/x": { state: "blocked", waits_for: "blocked below: (plan/x/1/ship/1)" },
    "shop:task/y": { state: "waiting", waits_for: "waits below: (shop:task/y/build/1)" },
  });
  expect(withBelow({ workflow_id: "plan/x", state: "running" }, below)).toMatchObject({ state: "blocked" });
});

test.each(["paused", "completed", "waiting"] as const)("a mission that is %s stays so", (state) => {
  expect(withBelow({ workflow_id: "plan/x", state }, below)).toEqual({ workflow_id: "plan/x", state });
});

test("the list of a state has the missions with that state below, and the list of the running ones has none of them", () => {
  expect(stateQuery("waiting", below)).toMatch(/WorkflowId IN \("shop:task\/y"\)\)\)$/);
  expect(stateQuery("blocked", below)).toMatch(/WorkflowId IN \("plan\/x"\)\)\)$/);
  expect(stateQuery("running", below)).toMatch(/ AND WorkflowId NOT IN \("plan\/x", "shop:task\/y"\)$/);
  expect(stateQuery("waiting", new Map())).not.toContain("WorkflowId");
});
