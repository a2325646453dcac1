import { readFileSync } from "node:fs";
import path from "node:path";
import { countMissions, listMissions } from "../../../src/client/missions";
import { type Answer, connectInMemory, type McpClient, type McpRig, openMcpRig } from "../../support/mcp/client";
import { until } from "../../support/until";

/** The catalog's `feature`, walked by a coding agent: what its branches gave, and how its task is listed. */

const FEATURE = JSON.parse(readFileSync(path.resolve("catalog/feature.json"), "utf8"));

let rig: McpRig;
let mcp: McpClient;
beforeAll(async () => {
  rig = await openMcpRig();
  mcp = await connectInMemory(rig.parts);
  await mcp.call("load_workflow", { id: "feature", definition: FEATURE });
  await mcp.call("create_task", { workflowType: "feature", id: "F-1" });
  await mcp.call("start", { taskId: "F-1" });
});
afterAll(async () => {
  await mcp?.close();
  await rig?.stop();
});

const next = (taskId: string, result: string, output?: unknown): Promise<Answer> =>
  mcp.data("next", { taskId, result, ...(output === undefined ? {} : { output }) });
const current = (taskId = "F-1"): Promise<Answer> => mcp.data("current", { taskId });

/** A fork goes on by itself, a moment after its last branch. */
const at = (step: string) =>
  until(async () => ((await current()).currentStep === step ? true : undefined), `F-1 is at ${step}`);

test("the objection of an earlier review does not stand for the one that passed", async () => {
  await next("F-1", "agreed");
  await next("F-1", "passed");
  await next("F-1", "passed", "docs/shape.md");
  expect((await next("F-1", "failed", "no refund path")).outputs).toMatchObject({ shape_review: "no refund path" });
  await next("F-1", "passed");
  await next("F-1", "passed");
  expect((await current()).outputs).toEqual({
    shape: { from_earlier_visit: true, result: "passed", last_result: "passed", output: "docs/shape.md" },
    shape_review: { from_earlier_visit: true, result: "failed", last_result: "passed", output: "no refund path" },
  });
});

test("the parent tells all that each branch gave, while they work and afterwards", async () => {
  await next("F-1/code", "passed", "src/giftcard.ts");
  const code = { "F-1/code": { currentStep: "code_check", outputs: { code: "src/giftcard.ts" } } };
  expect(await current()).toMatchObject({ currentStep: "build", branches: code });
  await next("F-1/code", "passed");
  await next("F-1/words", "passed", "docs/giftcard.md");
  await at("integrate");
  const { branches, outputs } = await current();
  expect(branches).toEqual({
    "F-1/code": { currentStep: "together", status: "COMPLETED", outputs: { code: "src/giftcard.ts" } },
    "F-1/words": { currentStep: "together", status: "COMPLETED", outputs: { words: "docs/giftcard.md" } },
  });
  expect(outputs.build).toMatchObject({ "F-1/code": { verdict: "passed" } });
});

test("a task that has ended is listed as it ended, though its moves are not confirmed", async () => {
  await mcp.call("create_task", { workflowType: "feature", id: "F-2" });
  await mcp.call("cancel_task", { taskId: "F-2" });
  await next("F-1", "passed");
  await next("F-1", "passed");
  const { review } = (await current()).waitingFor;
  expect(await mcp.refused("next", { taskId: "F-1", result: "passed" })).toMatchObject({
    error: {
      code: "agents_may_not_decide",
      message: expect.stringMatching(/^A person decides at "acceptance" of task "F-1"/),
      hint: `A person decides it. Show the user: navigator review decide ${review} CHOICE`,
    },
  });
  await rig.client.task("F-1").decide({ review, choice: "passed", by: "anna" });
  // The person has moved it since this session saw it.
  expect(await mcp.refused("next", { taskId: "F-1", result: "passed" })).toMatchObject({
    error: { code: "stale_version", currentStep: "release" },
  });
  await current();
  expect(await next("F-1", "passed")).toMatchObject({ currentStep: "live" });
  const { workflow } = rig.client.task("F-1");
  expect((await workflow.describe()).status.name).toBe("RUNNING");

  const listed = async (state: "running" | "completed" | "failed") =>
    (await listMissions(rig.client, { kind: "task", state })).missions.map(({ workflow_id, state }) => [
      workflow_id.split("/").at(-1),
      state,
    ]);
  await until(async () => (await listed("completed")).length === 1 && (await listed("failed")).length === 1, "listed");
  expect(await listed("completed")).toEqual([["F-1", "completed"]]);
  expect(await listed("failed")).toEqual([["F-2", "failed"]]);
  expect(await listed("running")).toEqual([]);
  expect(await countMissions(rig.client, { kind: "task" })).toMatchObject({ running: 0, completed: 1, failed: 1 });
  await mcp.call("confirm_sync_for_task", { taskId: "F-1" });
  await until(async () => ((await workflow.describe()).status.name === "COMPLETED" ? true : undefined), "closed");
  expect(await countMissions(rig.client, { kind: "task" })).toMatchObject({ running: 0, completed: 1, failed: 1 });
});
