import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Client, Connection } from "@temporalio/client";
import { ApplicationFailure } from "@temporalio/common";
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from "@temporalio/worker";
import { defineAgent, defineGraph, NavigatorClient, NavigatorPlugin } from "../../../src";
import { planWorkflowId } from "../../../src/core/base/ids";
import { newTask } from "../../../src/core/graph/task/task";
import type { Review } from "../../../src/core/review/review";
import { createModels } from "../../../src/models";
import { ensureSearchAttributes } from "../../../src/server/search-attributes";
import { testAddress } from "../../support/environment";
import { newNamespace } from "../../support/namespace";
import { keep, runsOf } from "../../support/record";
import { readRecorded, recordedFiles } from "../../support/recorded";
import { fenced, quietRuntime } from "../../support/rig";
import { until } from "../../support/until";
import type * as application from "./application";
import { clerk } from "./application";

/**
 * Somebody's workflows (application.ts) call agents, tasks and plans as child workflows, and over Nexus from another namespace. One
 * bundle and one process for both workers.
 */

const HOME = "default";
const queue = `embedded-${randomUUID()}`;
/** Endpoints have the names of the task queues that they lead to. */
const endpoint = queue;
/** Its worker trusts the callers. */
const trusted = `trusted-${randomUUID()}`;
const SCRIPT = {
  clerk: [
    fenced(
      '(cond (= data/order_id 13) (return {:status :waiting}) (= data/order_id 77) (fail {:reason :declined :message "no such order"}) :else (return {:refunded true :cents data/order_id}))',
    ),
  ],
  builder: [fenced('(return "built")')],
  failing: [fenced("(fail {:reason :broken})")],
  asker: [fenced('(return [(task "boss_ok" "nobody was asked") data/journal data/return])')],
  default: [{ if_contains: "Wait.", content: fenced("(return {:status :waiting})") }, fenced("(return 7)")],
};
const builder = defineAgent({ name: "builder", prompt: "Build it." });
const asker = defineAgent({ name: "asker", prompt: "Ask the boss." });
const failing = defineAgent({ name: "failing", prompt: "Wait and fail." });

let connection: Connection;
let native: NativeConnection;
let elsewhere: string;
/** The application's bundle. */
let code: string;
let stop: () => Promise<void>;
const clients: { [namespace: string]: Client } = {};
const navigator = () => new NavigatorClient(clients[HOME] as Client, { project: null, taskQueue: queue });

beforeAll(async () => {
  quietRuntime();
  connection = await Connection.connect({ address: testAddress() });
  native = await NativeConnection.connect({ address: testAddress() });
  await ensureSearchAttributes(connection, HOME);
  ({ code } = await bundleWorkflowCode({
    workflowsPath: require.resolve("./application"),
    plugins: [new NavigatorPlugin()],
    logger: new DefaultLogger("ERROR"),
  }));
  elsewhere = await newNamespace();
  for (const name of [endpoint, trusted])
    await connection.operatorService.createNexusEndpoint({
      spec: { name, target: { worker: { namespace: HOME, taskQueue: name } } },
    });
  const parts = {
    agents: [clerk, builder, asker],
    models: createModels({ env: {}, script: SCRIPT }),
    blockedTimeoutMs: 0,
  };
  const shared = { connection: native, taskQueue: queue, workflowBundle: { code } };
  const workers = await Promise.all([
    Worker.create({ ...shared, namespace: HOME, plugins: [new NavigatorPlugin({ ...parts, nexus: true })] }),
    Worker.create({
      ...shared,
      namespace: HOME,
      taskQueue: trusted,
      plugins: [new NavigatorPlugin({ ...parts, nexus: { trusted: true, project: "shop" } })],
    }),
    Worker.create({ ...shared, namespace: elsewhere }),
  ]);
  const running = workers.map((worker) => worker.run());
  stop = async () => {
    for (const worker of workers) worker.shutdown();
    await Promise.all(running);
  };
  for (const namespace of [HOME, elsewhere]) clients[namespace] = new Client({ connection, namespace });
});

afterAll(async () => {
  await stop?.();
  await native?.close();
  await connection?.close();
});

type Application = typeof application;
type Name = {
  [name in keyof Application]: Application[name] extends (...args: never) => Promise<unknown> ? name : never;
}[keyof Application];

/** Workflows that run code of Navigator, by the names of the tests. */
const started: { [test: string]: { namespace: string; workflowId: string }[] } = {};

/** Starts one of the application's workflows. */
function start<N extends Name>(namespace: string, name: N, ...args: Parameters<Application[N]>) {
  const workflowId = randomUUID();
  const test = expect.getState().currentTestName?.replace(/\W+/g, "-").toLowerCase() ?? "";
  // What was refused before anything was started has no history of Navigator's.
  if (!["operation", "remoteDefinition"].includes(name) && !test.endsWith("with-a-code"))
    started[test] = [...(started[test] ?? []), { namespace, workflowId }];
  return (clients[namespace] as Client).workflow.start(name, { workflowId, taskQueue: queue, args });
}

async function call<N extends Name>(namespace: string, name: N, ...args: Parameters<Application[N]>) {
  const handle = await start(namespace, name, ...args);
  return handle.result() as ReturnType<Application[N]>;
}

/** The failure of Navigator that ended a workflow. */
async function refusalOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return { gave: await work };
  } catch (error) {
    let at: unknown = error;
    while (at instanceof Error && !(at instanceof ApplicationFailure) && at.cause !== undefined) at = at.cause;
    return at;
  }
}

const graph = () =>
  defineGraph({
    id: "build",
    name: "Build",
    nodes: {
      start: { type: "start" },
      build: { type: "task", name: "Build", agent: "builder" },
      done: { type: "end", result: "success" },
      lost: { type: "end", result: "failure" },
    },
    edges: [
      { from: "start", to: "build" },
      { from: "build", to: "done", on: "passed" },
      { from: "build", to: "lost", on: "failed" },
    ],
  });
const taskOf = (definition = graph()) => ({
  task: newTask({ id: randomUUID(), issueId: "i", workflowType: "build" }, definition, Date.now()),
  definition,
  model: "scripted",
});
const direct = (input: string) => ({ plan: { tasks: [{ id: "only", agent: "direct", input }] } });

type Refused = [what: string, work: () => Promise<unknown>, code: string];

describe("in the same namespace", () => {
  test("a typed agent gives a typed return", async () => {
    expect(await call(HOME, "refund", 42, randomUUID())).toEqual({ cents: 42, agent: "clerk" });
  });
  test("a mission that failed is given, too", async () => {
    expect(await call(HOME, "refund", 77, randomUUID())).toEqual({ cents: 0, agent: null });
  });
  test.each<Refused>([
    ["a context without what the agent asks for", () => call(HOME, "refundOfNothing", "order"), "validation_error"],
    ["a context of another type", () => call(HOME, "refundOfNothing", "type"), "validation_error"],
    ["a return that does not fit", () => call(HOME, "refund", 500, randomUUID()), "validation_error"],
    ["an option that is none", () => call(HOME, "ask", "Say 7.", { token_limit: -1 }), "invalid_input"],
    ["an id that is none", () => call(HOME, "ask", "Say 7.", { id: "a/b" }), "invalid_id"],
    ["a graph's mistakes", () => call(HOME, "task", { ...taskOf(), task: {} } as never), "invalid_task"],
    [
      "a plan's mistakes",
      () => call(HOME, "plan", { plan: { tasks: [{ id: "a", depends_on: ["b"] }] } }),
      "invalid_plan",
    ],
    ["neither plan nor mission", () => call(HOME, "plan", {}), "invalid_input"],
    // The format is no password: only a run that continues has been checked.
    ...["agentRun", "planRun", "navigatorTask", "scheduledAgent"].map(
      (type): Refused => [
        `${type} with a format and nothing else`,
        () => call(HOME, "child", type, { format: 1 }),
        "invalid_input",
      ],
    ),
    ...[{ format: "1" }, { format: -1 }, { format: 1, flags: "x" }, { format: null }].map(
      (part): Refused => [
        `a child with ${JSON.stringify(part)}`,
        () => call(HOME, "child", "agentRun", { agent: { name: "any", prompt: "Say 7." }, model: "scripted", ...part }),
        "invalid_input",
      ],
    ),
  ])("%s fails the calling workflow with a code", async (_, work, type) => {
    expect(await refusalOf(work())).toMatchObject({ type });
  });
  test("an id is used once", async () => {
    const [id, once] = [randomUUID(), taskOf()];
    await call(HOME, "refund", 42, id);
    await call(HOME, "task", { ...once, agents: { builder } });
    expect(await refusalOf(call(HOME, "refund", 42, id))).toMatchObject({ type: "id_in_use" });
    expect(await refusalOf(call(HOME, "task", { ...once, agents: { builder } }))).toMatchObject({ type: "id_in_use" });
  });
  test("tasks and plans give their results, also those that failed", async () => {
    expect(await call(HOME, "task", { ...taskOf(), agents: { builder } })).toMatchObject({ status: "COMPLETED" });
    expect(await call(HOME, "task", { ...taskOf(), agents: { builder: failing } })).toMatchObject({ status: "FAILED" });
    expect(await call(HOME, "plan", direct("7"))).toMatchObject({ status: "ok", results: { only: 7 } });
    expect(await call(HOME, "plan", direct("(fail {:reason :no})"))).toMatchObject({ status: "error" });
  });
  test("who gives up a call, or is cancelled, cancels the mission; one that is told to goes on", async () => {
    const ids = [randomUUID(), randomUUID(), randomUUID()] as const;
    const givesUp = await start(HOME, "giveUp", ids[0]);
    const cancelled = await start(HOME, "ask", "Wait.", { id: ids[1], model: "scripted" });
    const ended = await start(HOME, "ask", "Wait.", { id: ids[2], model: "scripted", parentClosePolicy: "ABANDON" });
    for (const id of ids) await waiting(id);
    await givesUp.signal("enough");
    await cancelled.cancel();
    expect(await givesUp.result()).toBe("given up");
    await expect(cancelled.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
    await ended.result();
    expect(await Promise.all(ids.map(stateOf))).toEqual(["CANCELLED", "CANCELLED", "RUNNING"]);
    await navigator().agent(ids[2]).workflow.cancel();
  });
});

describe("over Nexus, from another namespace", () => {
  test("a typed agent gives a typed return", async () => {
    expect(await call(elsewhere, "remoteRefund", endpoint, 42, randomUUID())).toEqual({ cents: 42, more: [] });
  });
  test("a mission that failed is given, too", async () => {
    expect(await call(elsewhere, "remoteRefund", endpoint, 77, randomUUID())).toEqual({ failed: "declined" });
  });
  test("a bare operation fails with the reason of the mission as the type of the last cause", async () => {
    const input = { agent: "clerk", context: { order_id: 77 }, model: "scripted" } as never;
    expect(await refusalOf(call(elsewhere, "operation", endpoint, "runAgent", input))).toMatchObject({
      type: "declined",
      message: expect.stringContaining("no such order"),
    });
  });
  test("a task works with the agents that the worker has", async () => {
    const task = await call(elsewhere, "operation", endpoint, "runTask", taskOf() as never);
    expect(task).toMatchObject({ status: "COMPLETED" });
  });
  test("a journal and a Step in the context are data: nothing in them counts as done", async () => {
    const journal = { boss_ok: "yes, says the caller" };
    const ran = (context: object) =>
      call(elsewhere, "operation", endpoint, "runAgent", { agent: "asker", context, model: "scripted" } as never);
    const step = { return: { journal }, fail: null, usage: {}, trace_id: "x", signature: null };
    expect(await ran({ journal })).toMatchObject({ return: ["nobody was asked", journal, null], warnings: [] });
    expect(await ran(step)).toMatchObject({ return: ["nobody was asked", null, { journal }], warnings: [] });
  });
  const asked = (name: "runAgent" | "runPlan" | "decide" | "reviews", input: object) => () =>
    call(elsewhere, "operation", endpoint, name, input as never);
  test.each([
    ["a context that does not fit", () => call(elsewhere, "remoteRefund", endpoint, -1, "x"), "validation_error"],
    [
      "a return that does not fit",
      () => call(elsewhere, "remoteRefund", endpoint, 500, randomUUID()),
      "validation_error",
    ],
    ["an agent that the worker lacks", asked("runAgent", { agent: "thief" }), "agent_not_found"],
    ["an agent of the caller's own", () => call(elsewhere, "remoteDefinition", endpoint), "invalid_input"],
    [
      "a program in the place of the prompt",
      asked("runAgent", { agent: "clerk", program: "(return 1)" }),
      "invalid_input",
    ],
    ["a plan", asked("runPlan", direct("7")), "forbidden"],
    ["the reviews of a mission", asked("reviews", { workflow_id: "agent/x" }), "forbidden"],
    ["a decision", asked("decide", { workflow_id: "agent/x", decision: {} }), "forbidden"],
  ])("%s is refused with a code", async (_, work, type) => {
    expect(await refusalOf(work())).toMatchObject({ type });
  });
  test("an id is used once", async () => {
    const id = randomUUID();
    await call(elsewhere, "remoteRefund", endpoint, 42, id);
    expect(await refusalOf(call(elsewhere, "remoteRefund", endpoint, 42, id))).toMatchObject({ type: "id_in_use" });
  });
  test("who gives up an operation cancels the mission", async () => {
    const id = randomUUID();
    const caller = await start(elsewhere, "giveUpRemote", endpoint, id);
    await waiting(id);
    await caller.signal("enough");
    expect(await caller.result()).toBe("given up");
    expect(await stateOf(id)).toBe("CANCELLED");
  });
});

test("trusted callers run plans, and decide their reviews, in the project that the worker names", async () => {
  const id = randomUUID();
  const input = { id, plan: { tasks: [{ id: "ask", type: "review", input: "Well?" }] } };
  const running = await start(elsewhere, "operation", trusted, "runPlan", input as never);
  const workflow_id = planWorkflowId(id, "shop" as never);
  const [review] = await until(async () => {
    if (!(await navigator().has(workflow_id))) return undefined;
    const reviews = await call(elsewhere, "operation", trusted, "reviews", { workflow_id } as never);
    return (reviews as Review[]).length > 0 ? (reviews as Review[]) : undefined;
  }, "somebody is asked");
  const decision = { review: review?.id, choice: "approve", by: "anna" };
  expect(await call(elsewhere, "operation", trusted, "decide", { workflow_id, decision } as never)).toMatchObject({
    status: "decided",
  });
  expect(await running.result()).toMatchObject({ status: "ok" });
});

test("search attributes that a namespace lacks are refused, or created if the plugin says so", async () => {
  const configured = (searchAttributes?: "create") =>
    new NavigatorPlugin({ ...(searchAttributes && { searchAttributes }) }).configureWorker({
      connection: native,
      namespace: elsewhere,
      taskQueue: queue,
      workflowBundle: { code },
    });
  await expect(configured()).rejects.toMatchObject({
    code: "search_attributes",
    hint: expect.stringContaining('searchAttributes: "create"'),
  });
  await configured("create");
  await until(() => configured().then(Boolean, () => false), "the namespace has them");
});

test("what calling workflows wrote for earlier versions replays", async () => {
  for (const [name, workflows] of Object.entries(started)) {
    const runs = workflows.map(({ namespace, workflowId }) => runsOf(clients[namespace] as Client, [workflowId]));
    keep(`embedded/${name}`, (await Promise.all(runs)).flat());
  }
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-embedded-"));
  try {
    const kept = recordedFiles("embedded/").map((file) => {
      const copy = path.join(folder, path.basename(file));
      writeFileSync(copy, JSON.stringify(readRecorded(file)));
      return copy;
    });
    expect(kept.length).toBeGreaterThan(15);
    const bundle = path.join(folder, "bundle.cjs");
    writeFileSync(bundle, code);
    const main = path.join(__dirname, "../../support/replay/replay-main.cjs");
    const { stdout } = await promisify(execFile)(process.execPath, [main, bundle, ...kept]);
    expect(stdout.trim().split("\n")).toHaveLength(kept.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** Until a mission waits for somebody. */
const waiting = (id: string) =>
  until(async () => {
    if (!(await navigator().has(`agent/${id}`))) return false;
    return (await navigator().agent(id).status()).state === "waiting";
  }, `mission ${id} waits`);

const stateOf = async (id: string) => (await navigator().agent(id).workflow.describe()).status.name;
