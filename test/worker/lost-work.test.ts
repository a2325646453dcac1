import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { ActivityInboundCallsInterceptor, WorkerOptions } from "@temporalio/worker";
import { beginLine } from "../../src/worker/lost-work/calls-file";
import { LostWork } from "../../src/worker/lost-work/lost-work";
import type { Served } from "../../src/worker/lost-work/release-lost-calls";
import { temporaryFolder } from "../support/environment";
import { killedWorkerIn } from "./killed-worker";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("lost-work");
});
afterEach(() => folder.remove());

const log = { warn: jest.fn() };
const made = (place = folder.path) => new LostWork(place, new Set(["callTool"]), log as never);
beforeEach(() => log.warn.mockClear());

const DEADLINE_EXCEEDED = 4;

const connection = (describeNamespace: () => Promise<unknown>, more: object = {}) =>
  ({
    withDeadline: (_: number, ask: () => Promise<unknown>) => ask(),
    workflowService: { describeNamespace, ...more },
  }) as never as Served["connection"];
const reachable = connection(async () => ({ namespaceInfo: { id: "id-1" } }));

const INFO = {
  activityType: "callTool",
  activityId: "7",
  attempt: 2,
  isLocal: false,
  base64TaskToken: "dG9rZW4=",
  workflowExecution: { workflowId: "agent/1", runId: "r1" },
};

/** What is on disk while the activity is under way, and what it gives. */
async function during(lostWork: LostWork, info: object, input: unknown = { name: "charge" }) {
  const [interceptor] = lostWork.configureWorker({ taskQueue: "q" } as WorkerOptions).interceptors?.activity ?? [];
  const { inbound } = interceptor?.({ info } as never) ?? {};
  const execute = inbound?.execute?.bind(inbound) as NonNullable<ActivityInboundCallsInterceptor["execute"]>;
  let seen = "";
  const next = async () => {
    seen = onDisk();
    return "its answer";
  };
  const answer = await execute({ args: [input], headers: {} }, next);
  return { seen, answer, after: onDisk() };
}

const onDisk = () =>
  readdirSync(folder.path)
    .filter((name) => name.endsWith(".calls"))
    .map((name) => readFileSync(path.join(folder.path, name), "utf8"))
    .join("");

test("a call is on disk while it is under way, with its attempt and its token", async () => {
  const lostWork = made();
  await lostWork.begin(reachable, "default");
  const { seen, answer, after } = await during(lostWork, INFO);
  expect(answer).toBe("its answer");
  expect(seen).toContain('"activity":{"id":"7","attempt":2,"token":"dG9rZW4="}');
  expect(after.endsWith('{"end":1}\n')).toBe(true);
  lostWork.end();
  expect(readdirSync(folder.path)).toEqual([]);
});

test("a local activity is there without a token", async () => {
  const lostWork = made();
  await lostWork.begin(reachable, "default");
  const { seen } = await during(lostWork, { ...INFO, isLocal: true });
  expect(seen).toContain('"workflow_id":"agent/1"');
  expect(seen).not.toContain("token");
  lostWork.end();
});

test.each<[string, object, unknown]>([
  ["of another name", { ...INFO, activityType: "theirs" }, {}],
  ["without a workflow", { ...INFO, workflowExecution: undefined }, {}],
  ["that waits for a worker that has what it needs", INFO, { name: "charge", blocked_ms: 1_000 }],
])("an activity %s is not kept", async (_, info, input) => {
  const lostWork = made();
  await lostWork.begin(reachable, "default");
  const { seen, answer } = await during(lostWork, info, input);
  expect(answer).toBe("its answer");
  expect(seen).not.toContain("agent/1");
  lostWork.end();
});

test("the interceptors of others stay", () => {
  const theirs = () => ({});
  const { interceptors } = made().configureWorker({ taskQueue: "q", interceptors: { activity: [theirs] } });
  expect(interceptors?.activity).toEqual([expect.any(Function), theirs]);
});

test.each<[string, () => Promise<unknown>, string]>([
  ["the server may not be asked", () => Promise.reject(new Error("permission denied")), ""],
  ["the folder cannot be made", async () => ({ namespaceInfo: { id: "id-1" } }), "below a file"],
])("the worker works where %s, and says that nothing is kept", async (_, describe, place) => {
  if (place) writeFileSync(path.join(folder.path, "file"), "");
  const lostWork = made(place ? path.join(folder.path, "file", "workers") : folder.path);
  await lostWork.begin(connection(describe), "default");
  expect(log.warn).toHaveBeenCalledWith("calls_not_kept", expect.objectContaining({ error: expect.any(String) }));
  expect((await during(lostWork, INFO)).answer).toBe("its answer");
  lostWork.end();
});

describe("the folder that createWorker and the plugin use", () => {
  const logger = () => ({ warn: jest.fn(), debug: jest.fn() });
  const of = (place: string | false | undefined, log = logger()) =>
    LostWork.of(place, new Set(["callTool"]), log as never) as LostWork;
  const { NAVIGATOR_CACHE } = process.env;
  afterEach(() => {
    if (NAVIGATOR_CACHE === undefined) delete process.env.NAVIGATOR_CACHE;
    else process.env.NAVIGATOR_CACHE = NAVIGATOR_CACHE;
  });

  test("is workers in the user's cache where none is named", async () => {
    process.env.NAVIGATOR_CACHE = folder.path;
    const lostWork = of(undefined);
    await lostWork.begin(reachable, "default");
    await during(lostWork, INFO);
    expect(readdirSync(path.join(folder.path, "workers")).some((name) => name.endsWith(".calls"))).toBe(true);
    lostWork.end();
  });

  test("is none for false", () => expect(of(false)).toBe(null));

  test.each([
    { named: true, level: "warn", other: "debug" },
    { named: false, level: "debug", other: "warn" },
  ] as const)("that cannot be written is logged at $level (named: $named)", async ({ named, level, other }) => {
    writeFileSync(path.join(folder.path, "file"), "");
    const below = path.join(folder.path, "file", "cache");
    process.env.NAVIGATOR_CACHE = below;
    const log = logger();
    const lostWork = of(named ? below : undefined, log);
    await lostWork.begin(reachable, "default");
    expect(log[level]).toHaveBeenCalledWith("calls_not_kept", expect.objectContaining({ error: expect.any(String) }));
    expect(log[other]).not.toHaveBeenCalled();
    expect((await during(lostWork, INFO)).answer).toBe("its answer");
  });
});

test("calls of which the server was not heard stay for the next worker; then they are gone", async () => {
  const call = { workflow_id: "agent/1", run_id: "r1", began: 1_000 };
  await killedWorkerIn(folder.path, beginLine(1, call), { namespace_id: "id-1" });
  const late = Object.assign(new Error("too late"), { details: "", metadata: {}, code: DEADLINE_EXCEEDED });
  const errors = [late, new Error("workflow not found")];
  const server = connection(async () => ({ namespaceInfo: { id: "id-1" } }), {
    describeWorkflowExecution: async () => {
      throw errors.shift();
    },
    resetStickyTaskQueue: async () => ({}),
  });
  for (const told of [
    { lost: 1, released: 0, unanswered: 1 },
    { lost: 1, released: 0 },
  ]) {
    const lostWork = made();
    await lostWork.begin(server, "default");
    expect(log.warn).toHaveBeenLastCalledWith("lost_calls_released", told);
    // It keeps its own calls all the same.
    expect((await during(lostWork, INFO)).seen).toContain('"activity":{"id":"7"');
    lostWork.end();
  }
  expect(readdirSync(folder.path)).toEqual([]);
});

test("when the worker has ended, however it did, its files are gone", async () => {
  const lostWork = made();
  await lostWork.begin(reachable, "default");
  const running = lostWork.runWorker({} as never, () => Promise.reject(new Error("the server is gone")));
  await expect(running).rejects.toThrow("the server is gone");
  expect(readdirSync(folder.path)).toEqual([]);
});
