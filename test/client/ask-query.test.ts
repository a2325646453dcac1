import { QueryNotRegisteredError, type WorkflowHandle, WorkflowNotFoundError } from "@temporalio/client";
import { askQuery, askServed } from "../../src/client/ask-query";
import { UNCOMMITTED_TASK } from "../../src/core/base/error-codes";
import { taskQuery } from "../../src/workflows/messages";
import { until } from "../support/until";

/** What the service answers, as gRPC's client throws it. */
const status = (code: number, details: string) => Object.assign(new Error(details), { code, details, metadata: {} });

const NOT_FOUND = new WorkflowNotFoundError("workflow not found for ID: task/x", "task/x", undefined);

type Handle = Pick<WorkflowHandle, "query" | "client" | "workflowId">;

/** A workflow whose queries end one after the other like this. */
function workflow(...ends: (Error | number)[]) {
  let asked = 0;
  const query = async () => {
    const end = ends[asked++];
    if (end instanceof Error) throw end;
    return end;
  };
  const client = { withDeadline: (_: number, work: () => Promise<unknown>) => work() };
  const handle = { query, client, workflowId: "task/x" } as unknown as Handle;
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

describe("a message that needs a worker is not sent where none answers, and the error names what helps", () => {
  const sent = (status: string, searchAttributes: object) => {
    const lost = async () =>
      Promise.reject(Object.assign(new Error("Deadline exceeded"), { code: 4, details: "", metadata: {} }));
    const client = { withDeadline: (_: number, work: () => Promise<unknown>) => work() };
    const describe = async () => ({ status: { name: status }, searchAttributes });
    return askServed({ query: lost, client, workflowId: "agent/x", describe } as never, async () => "sent");
  };

  test.each([
    ["no worker runs", {}, "No worker answered", "navigator worker"],
    ["a run of this version", { NavigatorFormat: ["1"] }, "No worker answered", "navigator worker"],
    ["a run of another format", { NavigatorFormat: ["2"] }, "The run has run format 2", "the version that started"],
    [
      "a run with a flag of another version",
      { NavigatorFormat: ["1 later"] },
      "the flag later",
      "the version that started",
    ],
  ])("%s", async (_, attributes, message, hint) => {
    await expect(sent("RUNNING", attributes)).rejects.toMatchObject({
      code: "no_worker",
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    });
  });

  test("of a run that is over the server says it", async () => expect(await sent("COMPLETED", {})).toBe("sent"));
});

test("a worker that does not have all of the workflow is asked again", async () => {
  const refused = new QueryNotRegisteredError(UNCOMMITTED_TASK, 3);
  const { ask, asked } = workflow(refused, refused, refused, 7);
  // More often than where a worker is about to end.
  expect(await ask()).toBe(7);
  expect(asked()).toBe(4);
});

test("any other response is returned", async () => {
  const { ask, asked } = workflow(NOT_FOUND, 7);
  await expect(ask()).rejects.toMatchObject({ code: "not_found" });
  expect(asked()).toBe(1);
});

describe("questions that are asked at once", () => {
  /** Workflows that answer when the test says so. */
  function silent() {
    const waiting: { workflowId: string; answer(): void; refuse(): void }[] = [];
    const client = { withDeadline: (_: number, work: () => Promise<unknown>) => work() };
    const ask = (workflowId: string) => {
      const query = () =>
        new Promise((resolve, reject) => {
          const refuse = () => reject(NOT_FOUND);
          waiting.push({ workflowId, answer: () => resolve(7), refuse });
        });
      return askQuery({ query, client, workflowId } as unknown as Handle, taskQuery);
    };
    return { ask, waiting };
  }

  test("reach a workflow one after the other, also when one is refused, and other workflows at once", async () => {
    const { ask, waiting } = silent();
    const [first, second, other] = [ask("task/x"), ask("task/x"), ask("task/y")];
    first.catch(() => {});
    // The second was asked before the other: were it sent at once, it would come before it.
    await until(async () => waiting.length >= 2, "two questions");
    expect(waiting.map(({ workflowId }) => workflowId)).toEqual(["task/x", "task/y"]);
    waiting[0]?.refuse();
    await expect(first).rejects.toMatchObject({ code: "not_found" });
    await until(async () => waiting.length === 3, "the question that waited");
    for (const { answer } of waiting) answer();
    expect(await Promise.all([second, other])).toEqual([7, 7]);
  });

  test("do not wait for one that nobody answers", async () => {
    const { ask, waiting } = silent();
    const [first, second] = [ask("task/x"), ask("task/x")];
    await until(async () => waiting.length === 2, "the second question");
    waiting[1]?.answer();
    expect(await second).toBe(7);
    waiting[0]?.answer();
    await first;
  });
});
