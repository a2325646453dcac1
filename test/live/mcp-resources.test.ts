import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";
import { CHANGE, type ChangeStage, openChangeStage } from "../support/mcp/change";
import { connectInMemory, type McpClient } from "../support/mcp/client";

/** What can be read without a tool, the catalog and the project's folder, and what clients are told unasked. */

let stage: ChangeStage;
let mcp: McpClient;
beforeAll(async () => {
  stage = await openChangeStage();
  mcp = stage.mcp;
});
afterAll(() => stage.close());

describe("catalog and folder", () => {
  test("workflows are listed, copied into the project and loaded; a broken file and an unknown id are reported", async () => {
    const { workflows, count } = await mcp.data("list_catalog");
    expect(count).toBe(workflows.length);
    expect(workflows.map(({ id }: { id: string }) => id)).toContain("bug-hunt");
    const copied = await mcp.data("copy_workflows", { workflowIds: ["bug-hunt", "nope"] });
    expect(copied).toMatchObject({
      copied: [{ id: "bug-hunt" }, { id: "bug-fix", neededBy: "bug-hunt" }],
      errors: [{ id: "nope", code: "workflow_not_found" }],
    });
    const place = path.join(stage.folder, "workflows");
    expect(existsSync(path.join(place, "bug-fix.json"))).toBe(true);
    writeFileSync(path.join(place, "broken.json"), "{");
    const there = await mcp.data("load_workflows");
    expect(there.available.map(({ id }: { id: string }) => id)).toEqual(["bug-fix", "bug-hunt"]);
    expect(there).toMatchObject({
      loaded: [],
      errors: [{ id: "broken", code: "invalid_input", details: { path: expect.stringMatching(/broken\.json:1:2$/) } }],
    });
    const loaded = await mcp.data("load_workflows", { workflowIds: ["bug-fix", "bug-hunt", "nope"] });
    expect(loaded).toMatchObject({ loaded: [{ id: "bug-fix" }, { id: "bug-hunt" }], errors: [{ id: "nope" }] });
    const project = await mcp.data("list_workflows", { source: "project" });
    expect(project.workflows.map(({ id }: { id: string }) => id)).toEqual(["bug-fix", "bug-hunt"]);
    // Without a source too: one's own come first. What else is loaded is counted.
    const { count: external } = await mcp.data("list_workflows", { source: "external" });
    expect(external).toBeGreaterThan(0);
    expect(await mcp.data("list_workflows")).toEqual({ ...project, leftOut: external });
  });
});

describe("resources", () => {
  const read = async (uri: string) => {
    const { contents } = await mcp.client.readResource({ uri });
    return contents[0] as { uri: string; mimeType: string; text: string };
  };
  beforeAll(async () => {
    await mcp.call("load_task_tree", {
      tasks: [
        { id: "res 1", issueId: "I-1", workflowType: "change", currentStep: "check" },
        { id: "n1", issueId: "I-1", workflowType: "change", currentStep: "hitl", status: "HITL" },
      ],
      mode: "merge",
    });
    await mcp.call("start_task", { workflowId: "change", taskId: "w1" });
    expect(await mcp.data("wait_for_task", { taskId: "w1" })).toMatchObject({ status: "ended" });
  });

  test("definitions, tasks, diagrams with the current step, logs and syncs can be read", async () => {
    expect(JSON.parse((await read("navigator://workflows")).text)).toContainEqual(
      expect.objectContaining({ id: "change", version: 1 }),
    );
    const one = await read("navigator://workflows/change");
    expect(one.mimeType).toBe("application/json");
    expect(JSON.parse(one.text)).toMatchObject({ version: 1, source: "external", definition: { id: "change" } });
    const drawn = await read("navigator://workflows/change/diagram");
    expect(drawn).toMatchObject({ mimeType: "text/markdown", text: expect.stringContaining("flowchart TD") });
    expect(drawn.text).not.toContain("class check current");
    expect((await read("navigator://tasks/res%201/diagram")).text).toContain("class check current");
    expect(JSON.parse((await read("navigator://tasks/res%201")).text)).toMatchObject({ id: "res 1" });
    expect((await read("navigator://tasks/w1/log")).text).toContain("- [done] built");
    expect((await read("navigator://tasks/res%201/log")).text).toBe("Nothing is recorded yet.");
    expect(JSON.parse((await read("navigator://tasks/res%201/effects")).text)).toMatchObject({
      workflowId: "task/res 1",
      effects: [],
    });
    expect(JSON.parse((await read("navigator://syncs")).text)).toEqual((await mcp.data("get_pending_syncs")).pending);
  });

  test("a missing resource is an error with its code", async () => {
    await expect(read("navigator://tasks/nobody")).rejects.toMatchObject({
      code: -32602,
      data: { code: "task_not_found" },
    });
    await expect(read("navigator://workflows/nope/diagram")).rejects.toMatchObject({
      data: { code: "workflow_not_found" },
    });
  });

  test("existing resources are listed and suggested", async () => {
    const { resources } = await mcp.client.listResources();
    const uris = resources.map(({ uri }) => uri);
    for (const uri of [
      "navigator://workflows/change",
      "navigator://tasks/res%201",
      "navigator://tasks/res%201/diagram",
    ])
      expect(uris).toContain(uri);
    const ref = { type: "ref/resource" as const, uri: "navigator://workflows/{id}" };
    const { completion } = await mcp.client.complete({ ref, argument: { name: "id", value: "ch" } });
    expect(completion.values).toEqual(["change"]);
    const task = { type: "ref/prompt" as const, name: "resume" };
    const waiting = await mcp.client.complete({ ref: task, argument: { name: "taskId", value: "n" } });
    expect(waiting.completion.values).toEqual(["n1"]);
  });

  test("get_diagram draws a workflow, or the current step of a task", async () => {
    const { workflowId, diagram } = await mcp.data("get_diagram", { taskId: "res 1" });
    expect({ workflowId, marked: diagram.includes("class check current") }).toEqual({
      workflowId: "change",
      marked: true,
    });
    expect((await mcp.data("get_diagram", { workflowId: "change", currentStep: "build" })).diagram).toContain(
      "class build current",
    );
  });
});

test("after a load every client of the server is notified of changed lists; moves are logged at the requested level", async () => {
  const told: string[] = [];
  const listener = await connectInMemory(stage.rig.parts, {}, (client) => {
    client.fallbackNotificationHandler = async ({ method, params }) => {
      told.push(method === "notifications/message" ? `log ${JSON.parse(JSON.stringify(params)).data.event}` : method);
    };
  });
  await listener.call("load_workflow", { id: "another", definition: CHANGE });
  await mcp.call("load_task_tree", { tasks: [{ id: "l1", issueId: "I", workflowType: "change" }], mode: "merge" });
  await listener.call("advance_task", { taskId: "l1" });
  expect(told).toEqual(["notifications/resources/list_changed", "log task_advanced"]);
  await listener.client.setLoggingLevel("error");
  await listener.call("advance_task", { taskId: "l1" });
  expect(told).toHaveLength(2);
  await listener.close();
});
