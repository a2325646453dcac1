import type { WorkflowService } from "@temporalio/client";
import { type ChangeStage, openChangeStage } from "../support/mcp/change";
import { type Answer, connectInMemory, type McpClient } from "../support/mcp/client";
import { until } from "../support/until";

/** Work that takes longer than a call may: handles to ask again, tasks of MCP where the client has them. */

let stage: ChangeStage;
let mcp: McpClient;
beforeAll(async () => {
  stage = await openChangeStage();
  mcp = stage.mcp;
});
afterAll(() => stage.close());

describe("a task that was just created", () => {
  afterEach(() => jest.restoreAllMocks());

  test("is started at once: none of the questions that start asks reaches the workflow beside another one", async () => {
    const { asked, beside } = watchQuestions(stage.rig.client.temporal.workflowService);
    for (let n = 0; n < 5; n++) {
      await mcp.call("create_task", { id: `fresh-${n}`, workflowType: "change" });
      const started = await mcp.data("start", { taskId: `fresh-${n}` });
      expect(started).toMatchObject({ currentStep: "build" });
    }
    // A server refuses the second one while the workflow is at work, and the SDK repeats it two seconds later.
    expect(beside).toEqual([]);
    for (let n = 0; n < 5; n++) expect(asked.filter((id) => id.endsWith(`/fresh-${n}`)).length).toBeGreaterThan(1);
  });
});

/**
 * Whom this process asks, and who is asked while another question to the same workflow is open. A workflow that has left one
 * unanswered for 300 ms is asked all the same, so it does not count.
 */
function watchQuestions(service: WorkflowService): { asked: string[]; beside: string[] } {
  const [asked, beside]: [string[], string[]] = [[], []];
  const questions = new Map<string, { began: number; ended?: number }[]>();
  const query = service.queryWorkflow.bind(service);
  jest.spyOn(service, "queryWorkflow").mockImplementation((async (request: { execution?: { workflowId?: string } }) => {
    const id = `${request.execution?.workflowId}`;
    const earlier = questions.get(id) ?? [];
    const began = performance.now();
    const isSlow = earlier.some((one) => (one.ended ?? began) - one.began >= 290);
    asked.push(id);
    if (!isSlow && earlier.some(({ ended }) => ended === undefined)) beside.push(id);
    const question: (typeof earlier)[number] = { began };
    questions.set(id, [...earlier, question]);
    try {
      return await query(request as never);
    } finally {
      question.ended = performance.now();
    }
  }) as never);
  return { asked, beside };
}

/** Where no worker answers in time, the server says to ask for the task, and to cancel it again if it works. */
async function cancelled(taskId: string): Promise<void> {
  const { tasks } = mcp.client.experimental;
  const isCancelled = async () => (await tasks.getTask(taskId)).status === "cancelled";
  for (;;) {
    const refusal = await tasks.cancelTask(taskId).then(
      () => null,
      ({ message }: Error) => message,
    );
    if (refusal === null) break;
    // The first request may act before the second one comes.
    expect(refusal).toMatch(/No worker answered|is cancelled: it cannot be cancelled/);
    if (await isCancelled()) break;
  }
  await until(isCancelled, `${taskId} is cancelled`);
}

describe("long work", () => {
  test("start_task runs by itself; wait_for_task reports its state, then its end; the log lists the finished tasks", async () => {
    stage.hold();
    const { task } = await mcp.data("start_task", { workflowId: "change", taskId: "w1", issueId: "I-9" });
    expect(task).toMatchObject({ id: "w1", issueId: "I-9" });
    const running = await mcp.data("wait_for_task", { taskId: "w1", waitSeconds: 0.5 });
    expect(running).toMatchObject({
      status: "running",
      handle: { tool: "wait_for_task", arguments: { taskId: "w1" } },
    });
    stage.release();
    const ended = await mcp.data(running.handle.tool, running.handle.arguments);
    expect(ended).toMatchObject({ status: "ended", task: { status: "COMPLETED", currentStep: "done" } });
    const { runs } = await mcp.data("get_journal", { id: "task/w1" });
    expect(runs).toMatchObject([{ workflowId: "task/w1/build/1", rows: [{ id: "built" }] }, { rows: [] }]);
    const { missionLog } = await mcp.data("get_mission_log", { id: "task/w1" });
    expect(missionLog).toContain('- [done] built: "done"');
  });

  test("run_agent returns while the mission runs; get_run has the result; the same id is the same run", async () => {
    stage.hold();
    const running = await mcp.data("run_agent", { agent: "builder", id: "r1", waitSeconds: 0.2 });
    expect(running).toEqual({
      runId: "r1",
      workflowId: "agent/r1",
      status: "running",
      handle: { tool: "get_run", arguments: { runId: "r1" } },
    });
    stage.release();
    const over = await mcp.data("get_run", { runId: "r1", waitSeconds: 20 });
    expect(over).toMatchObject({ status: "completed", step: { return: { outcome: "passed" }, fail: null } });
    expect(over.handle).toBeUndefined();
    expect((await mcp.data("run_agent", { agent: "builder", id: "r1" })).step).toEqual(over.step);
  });

  test("an id of other work is refused with what differs, an id that cannot be one with a suggestion", async () => {
    await mcp.call("run_agent", { agent: "builder", id: "r7", waitSeconds: 20 });
    const other = await mcp.refused("run_agent", { agent: "builder", id: "r7", context: { order: 42 } });
    expect(other.error).toMatchObject({ code: "id_in_use", differs: ["context", "context.order"] });
    const { error } = await mcp.refused("run_agent", { agent: "builder", id: "r/8" });
    expect(error).toMatchObject({ code: "invalid_id", message: expect.stringContaining("r/8") });
  });

  test("run_agent starts nothing on a context that does not fit the agent's signature, and names the field", async () => {
    const wrong = { agent: "typed", id: "r9", context: { order_id: "forty-two" } };
    const { error } = await mcp.refused("run_agent", wrong);
    expect(error).toMatchObject({
      code: "validation_error",
      message: 'context.order_id: cannot coerce string "forty-two" to integer',
      errors: [{ path: "order_id", message: 'cannot coerce string "forty-two" to integer' }],
    });
    expect((await mcp.refused("get_run", { runId: "r9" })).error).toMatchObject({ code: "not_found", kind: "run" });
  });

  /** A server that was started with --may decide. */
  const mayDecide = () => connectInMemory({ ...stage.rig.parts, mayDecide: true });

  test("a waiting mission is reported at once; a decision recorded over MCP continues it, where agents may decide", async () => {
    const waiting = await mcp.data("run_agent", { agent: "asks", id: "r2", waitSeconds: 20 });
    expect(waiting).toMatchObject({ status: "waiting", waiting: { for: "payment" }, handle: { tool: "get_run" } });
    const decision = { id: "r2", journalId: "paid", value: true };
    for (const by of [{}, { by: "ana" }])
      expect((await mcp.refused("record_decision", { ...decision, ...by })).error.code).toBe("agents_may_not_decide");
    const deciding = await mayDecide();
    expect((await deciding.refused("record_decision", { ...decision, by: "ana" })).error.code).toBe(
      "agents_may_not_decide",
    );
    const { row } = await deciding.data("record_decision", decision);
    expect(row).toMatchObject({ id: "paid", by: "agent:test" });
    await deciding.close();
    expect(await mcp.data("get_run", { runId: "r2", waitSeconds: 20 })).toMatchObject({ status: "completed" });
    expect((await mcp.data("get_journal", { id: "r2" })).rows).toMatchObject([{ id: "paid", value: true }]);
  });

  test("a record is not replaced, and a context that is too large is refused", async () => {
    await mcp.call("run_agent", { agent: "asks", id: "r6", waitSeconds: 20 });
    const decision = { id: "r6", journalId: "checked", value: 1 };
    const deciding = await mayDecide();
    await deciding.call("record_decision", decision);
    const { error } = await deciding.refused("record_decision", { ...decision, value: 2 });
    await deciding.close();
    expect(error).toMatchObject({ code: "already_exists", path: "checked", kind: "record" });
    const context = { text: "x".repeat(2_000_000) };
    expect((await mcp.refused("run_agent", { agent: "asks", context })).error.code).toBe("payload_too_large");
  });

  test("cancelling the call ends the waiting, not the mission", async () => {
    stage.hold();
    const gone = new AbortController();
    const args = { name: "run_agent", arguments: { agent: "builder", id: "r3", waitSeconds: 40 } };
    const call = mcp.client.callTool(args, undefined, { signal: gone.signal });
    await until(async () => (await mcp.data("get_run", { runId: "r3" })).status === "running", "it runs");
    gone.abort("enough");
    await expect(call).rejects.toThrow();
    stage.release();
    expect(await mcp.data("get_run", { runId: "r3", waitSeconds: 20 })).toMatchObject({ status: "completed" });
  });

  test("a client with MCP tasks gets one at once, polls it, and gets its result, also from another server", async () => {
    stage.hold();
    const kinds: string[] = [];
    let taskId = "";
    let result: Answer;
    const stream = mcp.client.experimental.tasks.callToolStream(
      { name: "run_agent", arguments: { agent: "builder", id: "r4" } },
      undefined,
      { task: { ttl: 60_000 } },
    );
    for await (const message of stream) {
      kinds.push(message.type);
      if (message.type === "taskCreated") {
        taskId = message.task.taskId;
        expect(message.task).toMatchObject({ taskId: "agent/r4", status: "working" });
        setTimeout(() => stage.release(), 300);
      }
      if (message.type === "result") result = message.result;
    }
    expect(kinds[0]).toBe("taskCreated");
    expect(kinds.at(-1)).toBe("result");
    expect(result.structuredContent.data).toMatchObject({ runId: "r4", status: "completed" });
    const other = await connectInMemory(stage.rig.otherParts());
    expect(await other.client.experimental.tasks.getTask(taskId)).toMatchObject({ status: "completed" });
    await expect(other.client.experimental.tasks.getTask("agent/nobody")).rejects.toMatchObject({ code: -32602 });
    await other.close();
  });

  test("start_task as an MCP task ends with the task; cancelling it cancels the task", async () => {
    const start = (taskId: string) =>
      mcp.client.experimental.tasks.callToolStream(
        { name: "start_task", arguments: { workflowId: "change", taskId } },
        undefined,
        { task: {} },
      );
    stage.hold();
    const first = start("w2");
    expect((await first.next()).value).toMatchObject({
      type: "taskCreated",
      task: { taskId: "task/w2", status: "working" },
    });
    stage.release();
    let last: Answer;
    for await (const message of first) last = message;
    expect(last).toMatchObject({
      type: "result",
      result: { structuredContent: { data: { task: { status: "COMPLETED" } } } },
    });
    stage.hold();
    await start("w3").next();
    await cancelled("task/w3");
    expect((await mcp.data("get_task", { taskId: "w3" })).task).toMatchObject({
      status: "FAILED",
      endResult: "cancelled",
    });
    stage.release();
  });

  test("with the small set of tools, instructions name the tool that it has", async () => {
    const small = await connectInMemory({ ...stage.rig.parts, tools: "core" });
    await small.call("create_task", { id: "w9", workflowType: "change" });
    const { instructions } = await small.data("start", { taskId: "w9" });
    expect(instructions).toContain('next with taskId "w9"');
    expect(instructions).not.toContain("advance_task");
    await small.close();
  });

  test("an MCP task can be cancelled, and is listed while it runs", async () => {
    stage.hold();
    const stream = mcp.client.experimental.tasks.callToolStream(
      { name: "run_agent", arguments: { agent: "builder", id: "r5" } },
      undefined,
      { task: {} },
    );
    expect((await stream.next()).value).toMatchObject({ type: "taskCreated" });
    await until(async () => {
      const { tasks } = await mcp.client.experimental.tasks.listTasks();
      return tasks.some((task) => task.taskId === "agent/r5");
    }, "it is listed");
    await cancelled("agent/r5");
    stage.release();
  });
});
