import { spawn } from "node:child_process";
import path from "node:path";
import { Client, type InputRequiredResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import type { PeopleFile } from "../../../src/core/review/people/people-file";
import { identityOverHttp } from "../../../src/mcp/context/identity";
import { STATE_MS, StateSeal } from "../../../src/mcp/context/sealed-state";
import { type HttpServer, serveHttp } from "../../../src/mcp/transports/http/server";
import { LOOPBACK_HOSTS } from "../../../src/node/http/guard";
import { verifyDecision } from "../../../src/node/identity/verify-decision";
import { defineTool } from "../../../src/tools";
import { temporaryFolder } from "../../support/environment";
import { type Answer, connectInMemory, type McpClient, type McpRig, openMcpRig } from "../../support/mcp/client";
import { agent, fenced } from "../../support/rig";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";

/**
 * Protocol 2026-07-28 on real work, with its official clients: a question in two round trips, and tasks (mcp reference, sections 4.2
 * and 6). Two servers answer in turn, with nothing in common but Temporal and a key.
 */

const GRAPH = {
  nodes: {
    start: { type: "start" },
    build: { type: "task", name: "Build it" },
    check: { type: "gate", name: "Anna looks", review: { assignees: ["anna"] } },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "check" },
    { from: "check", to: "done", on: "passed" },
    { from: "check", to: "build", on: "failed" },
  ],
};
const [anna, ben, service] = [newKey(), newKey(), newKey()];
const people: PeopleFile = peopleOf({
  people: { anna: { keys: [publicKey(anna)] }, ben: { keys: [publicKey(ben)] } },
  services: { mcp: { keys: [publicKey(service)], may: ["vouch"] } },
});
const charge = jest.fn(async (_: { cents: number }) => "tx_1");
const folder = temporaryFolder("mcp-newer");
let rig: McpRig;
let older: McpClient;
let servers: HttpServer[];
let now = Date.now;
beforeAll(async () => {
  const tool = defineTool({
    name: "charge",
    input: z.object({ cents: z.int() }),
    effect: "irreversible",
    approval: { assignees: ["anna"] },
    run: charge,
  });
  rig = await openMcpRig({
    people: () => people,
    tools: [tool],
    script: { payer: [fenced("(return (tool/charge {:cents 900}))")] },
    project: {
      folder: folder.path,
      agents: { payer: agent({ name: "payer", tools: [tool.spec] }) },
      definitions: null,
    },
  });
  const identity = identityOverHttp(
    () => people,
    "mcp",
    () => service,
  );
  const serve = () =>
    serveHttp(
      {
        ...rig.otherParts(),
        identity,
        files: false,
        seal: new StateSeal(
          () => "shared by the servers",
          () => now(),
        ),
      },
      {
        host: "127.0.0.1",
        port: 0,
        hosts: LOOPBACK_HOSTS,
        origins: [],
        token: "agents",
        findToken: (text) => (text.startsWith("person-") ? { owner: text.slice(7), kind: "person" } : null),
      },
    );
  servers = await Promise.all([serve(), serve()]);
  older = await connectInMemory(rig.parts);
  await older.call("load_workflow", { id: "graph", definition: GRAPH });
});
afterAll(async () => {
  await older.close();
  for (const server of servers) await server.close();
  await rig.stop();
  folder.remove();
});
afterEach(() => {
  now = Date.now;
});

const urlOf = (server: 0 | 1) => (servers[server] as HttpServer).url;

interface Form {
  [field: string]: unknown;
  action: "accept" | "decline" | "cancel";
  content?: { [field: string]: string };
}
const PASSES: Form = { action: "accept", content: { decision: "passed", note: "seen" } };

/** The official client, at one of the servers. `asked` has the forms that its person was shown. */
async function connect(server: 0 | 1, token: string, answer: Form = PASSES) {
  const asked: string[] = [];
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: "2026-07-28" } } },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    asked.push(params.message);
    return answer;
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(urlOf(server)), { requestInit }));
  const parsed = ({ content }: Answer) => JSON.parse(content[0].text);
  const call = async (name: string, args: object): Promise<Answer> =>
    parsed(await client.callTool({ name, arguments: args as { [name: string]: unknown } }));
  /** One round trip: the question of the server, or its answer. */
  const round = async (name: string, args: object, more: object = {}): Promise<Answer> => {
    const params = { name, arguments: args as { [name: string]: unknown }, ...more };
    return client.callTool(params, { allowInputRequired: true } as never);
  };
  return { client, asked, call, round, parsed, close: () => client.close() };
}

/** A task whose step is to be reported. */
async function building(id: string): Promise<string> {
  const task = { id, issueId: "I", workflowType: "graph", currentStep: "build" };
  await older.call("load_task_tree", { tasks: [task], mode: "merge" });
  return id;
}
const taskOf = async (taskId: string): Promise<Answer> => (await older.data("get_task", { taskId })).task;
const answered = ({ requestState }: InputRequiredResult, form: Form = PASSES) => ({
  requestState,
  inputResponses: { decision: form },
});

test("a move that leads to a person ends with the question, and another server takes the answer: the move is made once", async () => {
  const taskId = await building("two-rounds");
  const [first, second] = [await connect(0, "person-anna"), await connect(1, "person-anna")];
  const args = { taskId, expectedStep: "build" };
  const question = await first.round("advance_task", args);
  expect(question).toMatchObject({
    resultType: "input_required",
    inputRequests: { decision: { params: { message: expect.stringMatching(/Anna looks[\s\S]*You decide as anna/) } } },
  });
  expect((await taskOf(taskId)).currentStep).toBe("check");
  const result = await second.round("advance_task", args, answered(question));
  expect(second.parsed(result).data).toMatchObject({
    ...{ success: true, previousStep: "build", nextStep: "check", task: { currentStep: "done" } },
    waitingFor: { answer: "accepted", decision: { choice: "passed", by: "anna", verified: true, note: "seen" } },
  });
  expect((await taskOf(taskId)).history.map(({ step }: Answer) => step)).toEqual(["build", "check"]);
  const { review } = await older.data("get_review", { reviewId: second.parsed(result).data.waitingFor.review, taskId });
  expect(review.decision).toMatchObject({ by: "anna", kind: "person", via: "http" });
  expect(await verifyDecision(people, review.decision, Date.now())).toMatchObject({
    principal: { id: "anna", verified: true },
  });
  // The answer was lost, and the client sends it again: nothing more happens, and it is no error.
  expect(second.parsed(await first.round("advance_task", args, answered(question))).data).toMatchObject({
    success: true,
    task: { currentStep: "done" },
  });
  expect((await taskOf(taskId)).history).toHaveLength(2);
  for (const one of [first, second]) await one.close();
});

test.each(["advance_task", "next", "decide_review"])(
  "the official client answers %s by itself, and a declined form leaves the review open",
  async (name) => {
    const taskId = await building(`by-itself-${name}`);
    const declines = await connect(0, "person-anna", { action: "decline" });
    const moved = await declines.call(name === "next" ? "next" : "advance_task", { taskId });
    expect(moved.data).toMatchObject({ waitingFor: { answer: "declined" } });
    const decides = await connect(1, "person-anna");
    const { data } = await decides.call("decide_review", { reviewId: moved.data.waitingFor.review });
    expect(data).toMatchObject({ answer: "accepted", review: { status: "decided", decision: { by: "anna" } } });
    expect([declines.asked, decides.asked].map(({ length }) => length)).toEqual([1, 1]);
    for (const one of [declines, decides]) await one.close();
  },
);

test.each(["advance_task", "next"])(
  "%s without a version, sent again because its answer was lost, passes over no person",
  async (name) => {
    const taskId = await building(`lost-${name}`);
    const { round, parsed, close } = await connect(0, "person-anna");
    const again = () => round(name, { taskId, result: "passed" }).then(parsed);
    await round(name, { taskId, result: "passed" });
    expect((await again()).error).toMatchObject({
      code: "version_required",
      message: expect.stringContaining("a person is asked there"),
      ...{ version: 1, currentStep: "check" },
    });
    const other = await connect(1, "person-anna", { action: "accept", content: { decision: "failed" } });
    const { open } = await older.data("list_reviews", { taskId });
    await other.call("decide_review", { reviewId: open[0].review.id });
    await until(async () => (await taskOf(taskId)).currentStep === "build" || undefined, "it is sent back");
    expect((await again()).error).toMatchObject({
      code: "version_required",
      message: expect.stringContaining('"check" was decided with "failed"'),
      ...{ version: 2, currentStep: "build" },
    });
    expect((await taskOf(taskId)).history).toHaveLength(2);
    expect(await round(name, { taskId, result: "passed", version: 2 })).toMatchObject({ resultType: "input_required" });
    for (const one of [{ close }, other]) await one.close();
  },
);

test("a new session of the older era that repeats the last call of the one before passes over no person", async () => {
  const taskId = await building("new-session");
  await older.call("next", { taskId, result: "passed" });
  const session = await connectInMemory(rig.parts);
  expect((await session.refused("next", { taskId, result: "passed" })).error).toMatchObject({
    code: "version_required",
  });
  // Whoever has read where the task is says something new.
  await session.data("get_task", { taskId });
  expect(await session.refused("next", { taskId, result: "passed" })).toMatchObject({
    error: { code: "agents_may_not_decide" },
  });
  await session.close();
});

test("runs of agents that cannot be read are left out with a word: the move is made and answered", async () => {
  const taskId = await building("unread");
  const service = rig.client.temporal.workflowService;
  const list = service.listWorkflowExecutions.bind(service);
  const broken = jest.spyOn(service, "listWorkflowExecutions").mockImplementation(((request: { query?: string }) => {
    if (request.query?.includes('"agentRun"')) throw new Error("broken");
    return list(request);
  }) as never);
  const data = await older.data("next", { taskId });
  expect(data).toMatchObject({ currentStep: "check", missionsUnread: expect.stringContaining("could not be read") });
  broken.mockRestore();
});

test("a question without a decision, such as which workflow fits, comes back the same way", async () => {
  const { call, asked, close } = await connect(0, "agents", { action: "accept", content: { choice: "graph" } });
  expect((await call("select_workflow", {})).data).toMatchObject({ selected: "graph" });
  expect(asked).toEqual(["Which workflow fits this task?"]);
  await close();
});

describe("a state is taken for nothing else", () => {
  let taskId: string;
  let question: InputRequiredResult;
  const args = () => ({ taskId });
  beforeAll(async () => {
    taskId = await building("bound");
    const first = await connect(0, "person-anna");
    question = await first.round("advance_task", args());
    await first.close();
  });

  test.each<[string, string, string, () => object, () => string]>([
    ["changed", "tampered", "person-anna", args, () => `${question.requestState}x`],
    ["that the client wrote itself", "tampered", "person-anna", args, () => Buffer.from("{}").toString("base64url")],
    [
      "with other arguments",
      "another_call",
      "person-anna",
      () => ({ taskId, force: true }),
      () => `${question.requestState}`,
    ],
    ["of somebody else", "another_client", "person-ben", args, () => `${question.requestState}`],
    ["of a person, for the agents", "another_client", "agents", args, () => `${question.requestState}`],
  ])("one %s is refused as %s", async (_, reason, token, given, requestState) => {
    const { round, close } = await connect(1, token);
    await expect(
      round("advance_task", given(), { ...answered(question), requestState: requestState() }),
    ).rejects.toMatchObject({
      code: -32602,
      data: { code: "invalid_input", reason, hint: expect.stringContaining("Call again") },
    });
    await close();
    expect((await taskOf(taskId)).currentStep).toBe("check");
  });

  test("one for another tool, and one that is an hour old, are refused", async () => {
    const { round, close } = await connect(1, "person-anna");
    await expect(round("next", args(), answered(question))).rejects.toMatchObject({ data: { reason: "another_call" } });
    now = () => Date.now() + STATE_MS;
    await expect(round("advance_task", args(), answered(question))).rejects.toMatchObject({
      data: { reason: "expired" },
    });
    await close();
  });

  test("one whose review was decided otherwise meanwhile is refused: the person's answer counts for nothing else", async () => {
    const other = await connect(1, "person-anna", { action: "accept", content: { decision: "failed" } });
    const { open } = await older.data("list_reviews", { taskId });
    const review = { reviewId: open[0].review.id };
    const { requestState } = await other.round("decide_review", review);
    await other.call("decide_review", review);
    // The question comes again without an answer: it is told what was decided, and by whom.
    expect(other.parsed(await other.round("decide_review", review, { requestState })).data).toMatchObject({
      hint: 'Decided: "failed", by anna.',
    });
    await until(async () => (await taskOf(taskId)).currentStep === "build" || undefined, "it is moved back");
    const late = await other.round("advance_task", args(), answered(question));
    expect(late.isError).toBe(true);
    expect(other.parsed(late).error).toMatchObject({
      code: "invalid_input",
      path: "requestState",
      reason: "review_closed",
    });
    expect((await taskOf(taskId)).currentStep).toBe("build");
    await other.close();
  });
});

/** The official client of the Tasks extension, as a process: what it says, line by line. */
async function tasksClient(server: 0 | 1, token: string, options: object): Promise<Answer[]> {
  const script = path.join(__dirname, "../../support/mcp/tasks-client.mjs");
  const child = spawn(process.execPath, [script, JSON.stringify({ url: urlOf(server), token, ...options })]);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  if (code !== 0) throw new Error(`The client ended with ${code}: ${stderr}`);
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

test("run_agent is a task of the extension; another process and another server end it, and the person at that client decides", async () => {
  const begun = { tool: "run_agent", args: { agent: "payer", id: "task-1" } };
  const [{ reference }] = await tasksClient(0, "agents", { ...begun, leave: true });
  expect(reference).toMatchObject({ generation: "v2", taskId: "agent/task-1" });
  const answer = { action: "accept", content: { decision: "approve" } };
  const lines = await tasksClient(1, "person-anna", { resume: reference, answer });
  expect(lines).toMatchObject([
    { asked: expect.stringMatching(/You decide as anna/) },
    {
      kind: "task",
      status: "completed",
      result: { structuredContent: { data: { runId: "task-1", status: "completed" } } },
    },
  ]);
  expect(charge).toHaveBeenCalledTimes(1);
});

test("for a client whose answer would be no decision the task works on, and cancelling it ends the mission", async () => {
  const [{ reference }] = await tasksClient(0, "agents", {
    tool: "run_agent",
    args: { agent: "payer", id: "task-2" },
    leave: true,
  });
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {
      elicitation: {},
      extensions: { "io.modelcontextprotocol/tasks": {} },
    },
  };
  const ask = async (method: string): Promise<Answer> => {
    const answer = await fetch(urlOf(1), {
      method: "POST",
      headers: {
        authorization: "Bearer agents",
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": method,
        "mcp-name": reference.taskId,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { taskId: reference.taskId, _meta: meta } }),
    });
    return ((await answer.json()) as { result: Answer }).result;
  };
  // Where no worker answers in time, it is told that.
  await until(async () => (await ask("tasks/get")).statusMessage === "It waits for a person.", "it waits");
  expect(await ask("tasks/get")).toMatchObject({ status: "working", ttlMs: null });
  expect(await ask("tasks/cancel")).toMatchObject({ resultType: "complete" });
  await until(async () => (await ask("tasks/get")).status === "cancelled", "it is cancelled");
});
