import type { WorkflowHandle } from "@temporalio/client";
import { askQuery } from "../../src/client/ask-query";
import { taskQuery } from "../../src/workflows/messages";

/** What the service answers, as gRPC's client throws it. */
const status = (code: number, details: string) => Object.assign(new Error(details), { code, details, metadata: {} });

/** A workflow whose queries end one after the other like this. */
function workflow(...ends: (Error | number)[]) {
  let asked = 0;
  const query = async () => {
    const end = ends[asked++];
    if (end instanceof Error) throw end;
    return end;
  };
  const client = { withDeadline: (_: number, work: () => Promise<unknown>) => work() };
  const handle = { query, client } as unknown as Pick<WorkflowHandle, "query" | "client">;
  return { ask: () => askQuery(handle, taskQuery), asked: () => asked };
}

test.each([
  ["our side saw first that the time was over", status(4, "Deadline exceeded")],
  ["the server saw it first, and took the call back", status(1, "Call cancelled")],
])("a lost query is sent once more: %s", async (_, lost) => {
  const { ask, asked } = workflow(lost, 7);
  expect(await ask()).toBe(7);
  expect(asked()).toBe(2);
});

test("a query that is lost twice means that no worker answered", async () => {
  const { ask, asked } = workflow(status(1, "Call cancelled"), status(4, "Deadline exceeded"), 7);
  await expect(ask()).rejects.toMatchObject({ code: "no_worker", details: { server: "Deadline exceeded" } });
  expect(asked()).toBe(2);
});

test("any other response is returned", async () => {
  const { ask, asked } = workflow(status(5, "workflow not found for ID: task/x"), 7);
  await expect(ask()).rejects.toMatchObject({ code: "not_found" });
  expect(asked()).toBe(1);
});
