import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  type ElicitRequest,
  type ElicitRequestFormParams,
  ElicitRequestSchema,
  type ElicitResult,
} from "@modelcontextprotocol/sdk/types.js";
import { serveHttp } from "../../src/mcp/transports/http/server";
import { LOOPBACK_HOSTS } from "../../src/node/http/guard";
import { connectClient, connectInMemory, type McpClient, type McpRig, openMcpRig } from "../support/mcp/client";

/**
 * A task that needs a person: the client's dialog is one way into the durable review, and no more. The project has no people,
 * so nobody is verified; mcp-verified.test.ts has the projects with people.
 */

const GRAPH = {
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build" },
    release: { type: "gate", name: "Release it?", description: "Look at the build." },
    named: { type: "gate", name: "Two eyes", review: { assignees: ["ana", "bo"] } },
    tests: { type: "gate", name: "Run the tests", agent: "tester" },
    done: { type: "end", result: "success" },
    hitl: { type: "end", result: "blocked", escalation: "hitl", name: "Stuck" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "release", on: "passed" },
    { from: "build", to: "hitl", on: "failed" },
    { from: "release", to: "named", on: "passed" },
    { from: "release", to: "build", on: "failed" },
    { from: "named", to: "tests", on: "passed" },
    { from: "named", to: "build", on: "failed" },
    { from: "tests", to: "done", on: "passed" },
    { from: "tests", to: "hitl", on: "failed" },
    { from: "hitl", to: "build", on: "passed" },
  ],
};

let rig: McpRig;
let plain: McpClient;
beforeAll(async () => {
  rig = await openMcpRig();
  plain = await connectInMemory(rig.parts);
  await plain.call("load_workflow", { id: "graph", definition: GRAPH });
});
afterAll(async () => {
  await plain.close();
  await rig.stop();
});

/** A client whose person answers like this; `asked` has what it was shown. */
function person(answer: (params: ElicitRequest["params"]) => Promise<ElicitResult> | ElicitResult) {
  const asked: ElicitRequest["params"][] = [];
  const prepare = (client: Client) =>
    client.setRequestHandler(ElicitRequestSchema, (request) => {
      asked.push(request.params);
      return answer(request.params);
    });
  return { asked, prepare, options: { capabilities: { elicitation: { form: {} } } } };
}
const atBuild = async (id: string, step = "build") => {
  await plain.call("load_task_tree", {
    tasks: [{ id, issueId: "I-1", workflowType: "graph", currentStep: step }],
    mode: "merge",
  });
};
/** As somebody decides elsewhere. */
const decide = (task: string, decision: Parameters<ReturnType<typeof rig.client.task>["decide"]>[0]) =>
  rig.client.task(task).decide(decision);
const taskOf = async (id: string) => (await plain.data("get_task", { taskId: id })).task;

test("accept: the form shows the attempts, and the decision is stored in the durable review with person and reason", async () => {
  await atBuild("accepted");
  const someone = person(() => ({ action: "accept", content: { decision: "passed", note: "try the other way" } }));
  const mcp = await connectInMemory(rig.parts, someone.options, someone.prepare);
  const answer = await mcp.data("advance_task", {
    taskId: "accepted",
    result: "failed",
    output: "it does not compile",
  });
  expect(answer).toMatchObject({
    nextStep: "hitl",
    terminal: "hitl",
    task: { currentStep: "build", status: "PENDING" },
    waitingFor: {
      answer: "accepted",
      decision: { choice: "passed", by: "a person at test", note: "try the other way", verified: false },
    },
  });
  expect(someone.asked).toMatchObject([
    {
      mode: "form",
      message: expect.stringMatching(
        /accepted needs a person: Stuck[\s\S]*"build" ended with "failed"[\s\S]*it does not compile[\s\S]*unverified/,
      ),
      requestedSchema: {
        properties: { decision: { enum: expect.arrayContaining(["passed", "close"]) }, note: { type: "string" } },
        required: ["decision"],
      },
    },
  ]);
  const { review } = await mcp.data("get_review", { reviewId: answer.waitingFor.review });
  expect(review).toMatchObject({
    status: "decided",
    decision: { choice: "passed", by: "a person at test", kind: "person", via: "mcp" },
  });
  expect(review.decision.signature).toBeUndefined();
  await mcp.close();
});

test.each([
  ["decline", { action: "decline" }, "declined"],
  ["cancel", { action: "cancel" }, "cancelled"],
  ["an answer that does not fit the form", { action: "accept", content: { decision: "fly" } }, "cancelled"],
] as [string, ElicitResult, string][])(
  "%s: nothing moves, and the answer names the open review",
  async (name, reply, answer) => {
    const id = `not-${name.split(" ")[0]}`;
    await atBuild(id);
    const someone = person(() => reply);
    const mcp = await connectInMemory(rig.parts, someone.options, someone.prepare);
    const { task, waitingFor } = await mcp.data("advance_task", { taskId: id, result: "failed" });
    expect({ status: task.status, asked: someone.asked.length }).toEqual({ status: "HITL", asked: 1 });
    expect(waitingFor).toMatchObject({
      answer,
      review: `${id}/hitl/1`,
      hint: expect.stringContaining("decide_review"),
    });
    expect(await taskOf(id)).toMatchObject({ status: "HITL", currentStep: "hitl" });
    expect((await mcp.data("list_reviews", { taskId: id })).count).toBe(1);
    await mcp.close();
  },
);

test("without an answer the call returns, and the review stays open and can be decided later", async () => {
  await atBuild("silent");
  const someone = person(() => new Promise(() => {}));
  const mcp = await connectInMemory({ ...rig.parts, patience_ms: 200 }, someone.options, someone.prepare);
  const { waitingFor } = await mcp.data("advance_task", { taskId: "silent", result: "failed" });
  expect(waitingFor.answer).toBe("timed_out");
  await decide("silent", { review: waitingFor.review, choice: "close", by: "ana" });
  expect(await taskOf("silent")).toMatchObject({ status: "FAILED" });
  await mcp.close();
});

test("a client without forms is told, and nothing waits", async () => {
  await atBuild("unable");
  const { waitingFor, task } = await plain.data("advance_task", { taskId: "unable", result: "failed" });
  expect(waitingFor).toMatchObject({ answer: "not_asked", choices: expect.arrayContaining(["passed", "close"]) });
  expect(task.status).toBe("HITL");
});

test("if somebody else decides while the dialog is open, the answer names the person, and nothing is decided twice", async () => {
  await atBuild("raced");
  const someone = person(async () => {
    await decide("raced", { review: "raced/hitl/1", choice: "send back to release", by: "bo" });
    return { action: "accept", content: { decision: "close" } };
  });
  const mcp = await connectInMemory(rig.parts, someone.options, someone.prepare);
  const { waitingFor } = await mcp.data("advance_task", { taskId: "raced", result: "failed" });
  expect(waitingFor).toMatchObject({ answer: "refused", hint: expect.stringMatching(/already|not needed/) });
  expect(await taskOf("raced")).toMatchObject({ currentStep: "release" });
  await mcp.close();
});

test("a gate without an agent is shown in a dialog, one with an agent is not; where people are named, an answer would be no decision", async () => {
  await atBuild("gates");
  const someone = person(() => ({ action: "accept", content: { decision: "passed", by: "bo" } }));
  const mcp = await connectInMemory(rig.parts, someone.options, someone.prepare);
  const first = await mcp.data("advance_task", { taskId: "gates", result: "passed" });
  expect(first).toMatchObject({
    nextStep: "release",
    waitingFor: { answer: "accepted", decision: { by: "a person at test", verified: false } },
    task: { currentStep: "named" },
  });
  expect(someone.asked).toMatchObject([{ requestedSchema: { required: ["decision"] } }]);
  const { requestedSchema } = someone.asked[0] as ElicitRequestFormParams;
  expect(Object.keys(requestedSchema.properties)).toEqual(["decision", "note"]);
  const second = await mcp.data("decide_review", { reviewId: "gates/named/2" });
  expect(second).toMatchObject({
    answer: "not_asked",
    hint: expect.stringMatching(
      /no decision\. .*ana, bo.*nobody is authenticated.*navigator review decide gates\/named\/2/,
    ),
    review: { status: "open" },
  });
  const { error } = await mcp.refused("advance_task", { taskId: "gates", result: "passed" });
  expect(error.code).toBe("agents_may_not_decide");
  await decide("gates", { review: "gates/named/2", choice: "passed", by: "bo" });
  expect((await mcp.data("get_task", { taskId: "gates" })).task).toMatchObject({ currentStep: "tests" });
  await mcp.call("advance_task", { taskId: "gates", result: "failed" });
  const { history } = await taskOf("gates");
  expect(history[3]).toMatchObject({ step: "tests", by: { id: "agent:test", kind: "agent", via: "mcp" } });
  await mcp.close();
});

test("one session decides as nobody: neither as ana nor as bo, nor under a name of the system (S1)", async () => {
  await atBuild("forged", "named");
  for (const by of ["ana", "bo", "timer", "agent:test", undefined])
    for (const choice of ["passed", "failed"]) {
      const { error } = await plain.refused("decide_review", { reviewId: "forged/named/1", choice, by });
      expect(error).toMatchObject({
        code: "agents_may_not_decide",
        hint: expect.stringContaining("navigator review decide"),
      });
    }
  expect((await plain.data("get_review", { reviewId: "forged/named/1" })).review).toMatchObject({ status: "open" });
});

test("an agent moves a task out of HITL and past a gate that names nobody, and the history says that it was an agent", async () => {
  await atBuild("moved");
  const by = { id: "agent:test", kind: "agent", via: "mcp" };
  await plain.call("advance_task", { taskId: "moved", result: "failed" });
  // Everywhere else a client that names no version moves the task as it saw it last.
  for (const name of ["advance_task", "next"]) {
    const { error } = await plain.refused(name, { taskId: "moved", result: "passed" });
    expect(error).toMatchObject({ code: "version_required", version: 1, currentStep: "hitl" });
  }
  await plain.call("advance_task", { taskId: "moved", result: "passed", version: 1 });
  await plain.call("advance_task", { taskId: "moved", result: "passed" });
  await plain.call("next", { taskId: "moved", result: "passed", version: 3 });
  const { history } = await taskOf("moved");
  expect(history.map((move: { step: string; by?: object }) => [move.step, move.by])).toEqual([
    ["build", undefined],
    ["hitl", by],
    ["build", undefined],
    ["release", by],
  ]);
});

test("a session that saw an earlier version moves nothing: not past a person, nor at a step of work", async () => {
  await atBuild("late");
  const [first, second] = [await connectInMemory(rig.parts), await connectInMemory(rig.parts)];
  await first.call("current", { taskId: "late" });
  const { version } = (await second.data("get_task", { taskId: "late" })).task;
  await second.call("advance_task", { taskId: "late", result: "passed", output: "by the second" });
  for (const name of ["advance_task", "next"])
    for (const result of ["passed", "failed"]) {
      const { error } = await first.refused(name, { taskId: "late", result, output: "by the first" });
      expect(error).toMatchObject({ code: "stale_version", version: version + 1, currentStep: "release" });
    }
  expect(await taskOf("late")).toMatchObject({ currentStep: "release" });
  await Promise.all([first.close(), second.close()]);
});

test("select_workflow returns the person's choice, if the client can show a form", async () => {
  const someone = person(() => ({ action: "accept", content: { choice: "graph" } }));
  const mcp = await connectInMemory(rig.parts, someone.options, someone.prepare);
  const choices = [{ value: "graph", label: "graph", description: "" }];
  expect(await mcp.data("select_workflow", { question: "Which?" })).toEqual({
    question: "Which?",
    choices,
    selected: "graph",
  });
  expect(someone.asked).toMatchObject([{ message: "Which?" }]);
  expect(await plain.data("select_workflow")).toMatchObject({ choices, selected: null });
  await mcp.close();
});

test("over HTTP the question is sent on the stream of the waiting call", async () => {
  await atBuild("http");
  const server = await serveHttp(rig.parts, {
    host: "127.0.0.1",
    port: 0,
    hosts: LOOPBACK_HOSTS,
    origins: [],
    token: null,
  });
  const someone = person(() => ({ action: "accept", content: { decision: "send back to build" } }));
  const transport = new StreamableHTTPClientTransport(new URL(server.url));
  const mcp = await connectClient(transport as never, someone.options, someone.prepare);
  const { waitingFor, task } = await mcp.data("advance_task", { taskId: "http", result: "failed" });
  expect({ answer: waitingFor.answer, step: task.currentStep }).toEqual({ answer: "accepted", step: "build" });
  await mcp.close();
  await server.close();
});

test("a cancelled call ends the dialog; the task stays where the move took it", async () => {
  await atBuild("given-up");
  let asked = () => {};
  const shown = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const someone = person(() => {
    asked();
    return new Promise(() => {});
  });
  const mcp = await connectInMemory(rig.parts, someone.options, someone.prepare);
  const gone = new AbortController();
  const args = { name: "advance_task", arguments: { taskId: "given-up", result: "failed" } };
  const call = mcp.client.callTool(args, undefined, { signal: gone.signal });
  await shown;
  gone.abort("enough");
  await expect(call).rejects.toThrow();
  expect(await taskOf("given-up")).toMatchObject({ status: "HITL" });
  await mcp.close();
});
