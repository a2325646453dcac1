import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { type ChangeStage, openChangeStage } from "../support/mcp/change";
import type { McpClient } from "../support/mcp/client";
import { openClaudeHooks } from "../support/plugins/claude-code";

/** A task step by step, by its id or its file; and one queue for several orchestrators. */

let stage: ChangeStage;
let mcp: McpClient;
beforeAll(async () => {
  stage = await openChangeStage();
  mcp = stage.mcp;
});
afterAll(() => stage.close());

describe("init, start, current, next", () => {
  test("a task from its start to its end; each answer says what to do", async () => {
    const begun = await mcp.data("init", { taskId: "n1", workflowType: "change", description: "Make it blue" });
    expect(begun).toMatchObject({
      currentStep: "start",
      terminal: "start",
      metadata: { workflowType: "change", userDescription: "Make it blue", retryCount: 0 },
    });
    expect(await mcp.data("init", { taskId: "n1", workflowType: "other", stepId: "check" })).toEqual(begun);
    const started = await mcp.data("start", { taskId: "n1" });
    expect(started).toMatchObject({ currentStep: "build", terminal: null, metadata: { stepName: "Build it" } });
    for (const text of ["development · Build it", "docs/style.md", "Change {repository}.", "builder"])
      expect(started.instructions).toContain(text);
    expect((await mcp.data("get_task", { taskId: "n1" })).task.status).toBe("IN_PROGRESS");
    expect(await mcp.data("start", { taskId: "n1" })).toEqual(started);
    expect(await mcp.data("current", { taskId: "n1" })).toEqual(started);
    expect(await mcp.data("next", { taskId: "n1" })).toMatchObject({ currentStep: "check", action: "unconditional" });
    expect(await mcp.data("next", { taskId: "n1", result: "failed" })).toMatchObject({
      currentStep: "build",
      action: "retry",
      metadata: { retryCount: 1 },
    });
    await mcp.call("next", { taskId: "n1" });
    expect(await mcp.data("next", { taskId: "n1", result: "failed" })).toMatchObject({
      currentStep: "hitl",
      terminal: "hitl",
      waitingFor: { answer: "not_asked" },
    });
  });

  test("a task in a file: its id is the file's name, and the file shows its step", async () => {
    const file = path.join(stage.folder, "7.json");
    writeFileSync(
      file,
      JSON.stringify({ id: "7", subject: "Make it green", status: "pending", owner: "me", metadata: { a: 1 } }),
    );
    const content = () => JSON.parse(readFileSync(file, "utf8"));
    await mcp.call("init", { taskFilePath: "7.json", workflowType: "change", stepId: "build" });
    expect(content()).toMatchObject({
      subject: "Make it green · Build it",
      status: "in_progress",
      owner: "me",
      metadata: { a: 1, workflowType: "change", currentStep: "build", userDescription: "Make it green" },
    });
    await mcp.call("next", { taskFilePath: file });
    await mcp.call("next", { taskFilePath: file, result: "passed" });
    expect(content()).toMatchObject({
      subject: "Make it green · done",
      status: "completed",
      metadata: { currentStep: "done" },
    });
    expect((await mcp.data("get_task", { taskId: "7" })).task).toMatchObject({ status: "COMPLETED" });
    // Another file of the same name is another task.
    const other = path.join(stage.folder, "other");
    const second = path.join(other, "7.json");
    mkdirSync(other);
    writeFileSync(second, JSON.stringify({ subject: "Something else", status: "pending" }));
    expect(await mcp.data("init", { taskFilePath: second, workflowType: "change" })).toMatchObject({
      currentStep: "start",
    });
    expect(JSON.parse(readFileSync(second, "utf8")).metadata.navigatorTask).toMatch(/^7-[0-9a-f]{8}$/);
  });
});

describe("one queue for several clients", () => {
  test("create, claim, renew, release, pause, resume, cancel", async () => {
    const task = { id: "q1", issueId: "I-1", workflowType: "change", currentStep: "build", priority: 1e6 };
    expect((await mcp.data("create_task", { task })).task).toMatchObject({ id: "q1", status: "PENDING" });
    const { count, claimed } = await mcp.data("claim_next_tasks", { owner: "ana" });
    expect({ count, id: claimed[0].task.id, status: claimed[0].task.status }).toEqual({
      count: 1,
      id: "q1",
      status: "IN_PROGRESS",
    });
    const { token } = claimed[0];
    const renewed = await mcp.data("claim_task", { taskId: "q1", owner: "ana", token, leaseSeconds: 600 });
    expect(renewed.expiresAt).toBeGreaterThan(claimed[0].expiresAt);
    expect((await mcp.data("release_claim", { taskId: "q1", token })).task.status).toBe("PENDING");
    expect((await mcp.data("pause_task", { taskId: "q1", note: "later" })).task.status).toBe("PAUSED");
    expect((await mcp.data("resume_task", { taskId: "q1" })).task.status).toBe("PENDING");
    const { task: cancelled } = await mcp.data("cancel_task", { taskId: "q1", note: "not needed" });
    expect(cancelled).toMatchObject({ status: "FAILED", endResult: "cancelled" });
  });
});

test("the plugin for Claude Code tells the session after /clear which task is open, and `current` tells the rest", async () => {
  const hooks = openClaudeHooks(stage.folder);
  /** A call as Claude Code makes it: the hook is given the blocks of the answer. */
  const call = async (session_id: string, name: string, args: { [name: string]: unknown }) => {
    const { content: tool_response } = await mcp.client.callTool({ name, arguments: args });
    const tool_name = `mcp__plugin_navigator_navigator__${name}`;
    hooks.run({ hook_event_name: "PostToolUse", session_id, tool_name, tool_input: args, tool_response });
  };
  const taskId = "kept";
  await mcp.call("create_task", { id: taskId, workflowType: "change", context: { title: "Make it red" } });
  await call("before", "start", { taskId });
  const [, version] = /"kept", at step "build", version (\d+)$/m.exec(hooks.context("before", "compact") ?? "") ?? [];
  await call("before", "advance_task", { taskId, version: Number(version), output: { file: "red.css" } });
  hooks.run({ hook_event_name: "SessionEnd", session_id: "before", reason: "clear" });
  expect(hooks.context("after", "clear")).toContain("this session works on these tasks");
  expect(hooks.context("after", "clear")).toContain('- task "kept", at step "check", version ');
  expect(await mcp.data("current", { taskId })).toMatchObject({
    currentStep: "check",
    request: { title: "Make it red" },
    outputs: { build: { file: "red.css" } },
  });
  await call("after", "advance_task", { taskId, result: "passed" });
  expect(hooks.context("after", "clear")).toBeUndefined();
  hooks.close();
});
