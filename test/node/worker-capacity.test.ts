import { loadConfig } from "../../src/node/settings";
import { capacityOptions } from "../../src/node/worker-capacity";

test("the environment sets how much a worker does at the same time", () => {
  const { workerCapacity } = loadConfig({
    NAVIGATOR_CACHED_WORKFLOWS: "50",
    NAVIGATOR_CONCURRENT_CALLS: " 7 ",
    NAVIGATOR_POLLERS: "20",
  });
  expect(workerCapacity).toEqual({ cached_workflows: 50, concurrent_calls: 7, pollers: 20 });
  expect(capacityOptions(workerCapacity)).toEqual({
    maxCachedWorkflows: 50,
    maxConcurrentActivityTaskExecutions: 7,
    // The SDK refuses more open requests than places.
    maxConcurrentActivityTaskPolls: 7,
    maxConcurrentWorkflowTaskPolls: 20,
  });
  expect(capacityOptions({})).toEqual({});
});

test.each([
  ["NAVIGATOR_CACHED_WORKFLOWS", "1", "must be 2 to 100000"],
  ["NAVIGATOR_CONCURRENT_CALLS", "2.5", "must be a whole number"],
  ["NAVIGATOR_CONCURRENT_WORKFLOW_TASKS", "many", "must be a whole number"],
  ["NAVIGATOR_POLLERS", "0", "must be 2 to 1000"],
])("%s=%s is refused by its name", (variable, text, problem) =>
  expect(() => loadConfig({ [variable]: text })).toThrow(`${variable}: ${problem}`),
);
