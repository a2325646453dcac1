import { EventEmitter } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Worker as Thread } from "node:worker_threads";
import { defaultPayloadConverter, type Payload } from "@temporalio/common";
import { isReferencePayload } from "@temporalio/common/lib/internal-non-workflow";
import { google, temporal } from "@temporalio/proto";
import {
  bundleWorkflowCode,
  DefaultLogger,
  NativeConnection,
  type NativeConnectionPlugin,
  Runtime,
  Worker,
} from "@temporalio/worker";
import {
  ThreadedVMWorkflowCreator,
  VMWorkflowThreadProxy,
  WorkerThreadClient,
} from "@temporalio/worker/lib/workflow/threaded-vm";
import { Activator } from "@temporalio/workflow/lib/internals";
import { BUNDLE_ASSET, bundledTypes } from "../../../src/node/sdk-internals/bundled-types";
import { ALONE, CommittedAnswers } from "../../../src/node/sdk-internals/committed-queries";
import { optionsOfConnection, rememberConnections } from "../../../src/node/sdk-internals/connection-memory";
import { COMPUTING_LIMIT, LAST_POLLS } from "../../../src/node/sdk-internals/hidden-settings";
import { historyJson } from "../../../src/node/sdk-internals/history-json";
import { changePayloads, fetchStoredPayloads, type History } from "../../../src/node/sdk-internals/history-payloads";
import { WITHOUT_STACKS } from "../../../src/node/sdk-internals/promise-stacks";
import { TimedWorker } from "../../../src/node/sdk-internals/timed-worker";
import { threadOf } from "../../../src/node/sdk-internals/watched-thread";
import { parseBundle, type WorkflowBundle } from "../../../src/node/sdk-internals/workflow-bundle";
import { workflowInfos } from "../../../src/node/sdk-internals/workflow-infos";
import { initOf, startWorkflowThread, takeWorkflowThread } from "../../../src/node/sdk-internals/workflow-thread";
import { temporaryFolder } from "../../support/environment";

/**
 * The private parts of Temporal's SDK that Navigator uses, and what Navigator relies on (decision 58). When an upgrade of the SDK
 * changes one, the title of the failing test names it and the files that use it.
 */

const FOLDER = path.join(__dirname, "../../../src/node/sdk-internals");
const logger = new DefaultLogger("ERROR");

/** A method that the SDK declares as `protected`. */
interface Loads {
  getOrCreateBundle(options: object, logger: DefaultLogger): Promise<WorkflowBundle>;
}

interface Reliance {
  /** The private part, as the SDK spells it. */
  thing: string;
  /** The files that use it, in `src/node/sdk-internals` unless they have a path. */
  users: string[];
  check(): unknown;
}

const CONTRACT: Reliance[] = [
  {
    thing: "NativeConnection.plugins, and configureNativeConnection of the last one",
    users: ["connection-memory.ts"],
    async check() {
      const first: NativeConnectionPlugin = {
        name: "first",
        configureNativeConnection: (options) => ({ ...options, metadata: { by: "first" } }),
      };
      const runtime = jest
        .spyOn(Runtime, "instance")
        .mockReturnValue({ createNativeClient: async () => ({}) } as never);
      rememberConnections();
      const connection = await NativeConnection.connect({ address: "a:1", plugins: [first] });
      runtime.mockRestore();
      expect(optionsOfConnection(connection)).toEqual({ address: "a:1", metadata: { by: "first" } });
      expect(optionsOfConnection({} as never)).toBeUndefined();
    },
  },
  {
    thing: "WorkerThreadClient",
    users: ["timed-worker.ts", "watched-thread.ts"],
    async check() {
      expect(methodsOf(WorkerThreadClient)).toEqual(
        expect.arrayContaining(["send", "destroy", "getActiveWorkflowCount"]),
      );
      const thread = Object.assign(new EventEmitter(), { postMessage: jest.fn() });
      const client = new WorkerThreadClient(thread as unknown as Thread, logger);
      expect(threadOf(client)).toBe(thread);
      const sent = client.send({ type: "dispose-workflow", runId: "r1" });
      const request = { requestId: 0n, input: { type: "dispose-workflow", runId: "r1" } };
      expect(thread.postMessage).toHaveBeenCalledWith(request);
      thread.emit("message", { requestId: 0n, result: { type: "ok", output: "done" } });
      expect(await sent).toBe("done");
    },
  },
  {
    thing: "ThreadedVMWorkflowCreator, the WorkflowCreator of a worker",
    users: ["timed-worker.ts", "committed-queries.ts"],
    async check() {
      expect(methodsOf(ThreadedVMWorkflowCreator)).toEqual(["createWorkflow", "destroy"]);
      const client = { send: jest.fn(), destroy: jest.fn(), getActiveWorkflowCount: () => 0 };
      const creator = new ThreadedVMWorkflowCreator([client as never]);
      expect(creator).toMatchObject({ workerThreadClients: [client] });
      await creator.destroy();
      expect(client.destroy).toHaveBeenCalledTimes(1);
    },
  },
  {
    thing: "Workflow, made with WorkflowCreateOptions",
    users: ["committed-queries.ts"],
    async check() {
      expect(methodsOf(VMWorkflowThreadProxy)).toEqual(methodsOf(CommittedAnswers));
      const options = { info: { workflowId: "w1", runId: "r1", unsafe: {} } };
      const workflow = await VMWorkflowThreadProxy.create({ send: jest.fn() } as never, options as never);
      expect(workflow).toMatchObject({ runId: "r1" });
    },
  },
  {
    thing: "Worker's createWorkflowCreator and getOrCreateBundle, with CompiledWorkerOptions",
    users: ["timed-worker.ts"],
    async check() {
      const { bundle, options, given } = await startedWith({ workflowBundle: { code: "" } });
      expect(bundle).toBe(BUNDLE);
      expect(given).toMatchObject({ workflowBundle: { code: "" }, whileStarting: expect.any(Function) });
      const { isolateExecutionTimeoutMs, workflowThreadPoolSize, reuseV8Context, debugMode, activities } = options;
      expect([workflowThreadPoolSize, reuseV8Context ?? true, debugMode ?? false]).toEqual([1, true, false]);
      expect([isolateExecutionTimeoutMs, activities]).toEqual([30_000, new Map([["act", expect.any(Function)]])]);
    },
  },
  {
    thing: "Worker's workflowCreator, connection and options",
    users: ["committed-queries.ts"],
    check() {
      const [creator, connection, options] = [{}, {}, { namespace: "n", identity: "i" }];
      const Made = Worker as unknown as new (...parts: unknown[]) => Worker;
      const worker = new Made({}, {}, creator, options, logger, {}, [], connection);
      expect(worker).toMatchObject({ workflowCreator: creator, connection, options });
    },
  },
  {
    thing: "workflow-worker-thread and WorkerThreadRequest",
    users: ["workflow-thread.ts"],
    async check() {
      const send = jest.spyOn(WorkerThreadClient.prototype, "send").mockResolvedValue(undefined as never);
      const made = await ThreadedVMWorkflowCreator.create({
        threadPoolSize: 1,
        workflowBundle: BUNDLE,
        isolateExecutionTimeoutMs: 5_000,
        reuseV8Context: true,
        registeredActivityNames: new Set(["act"]),
        logger,
      });
      const [[init] = []] = send.mock.calls;
      send.mockRestore();
      const [client] = (made as unknown as { workerThreadClients: WorkerThreadClient[] }).workerThreadClients;
      await threadOf(client as WorkerThreadClient).terminate();
      expect({ ...init, isolateExecutionTimeoutMs: undefined }).toStrictEqual(initOf(BUNDLE, ["act"]));
      // The thread loaded the workflows: see `runs`.
      expect(await (await runs()).off.query("order")).toBeDefined();
    },
  },
  {
    thing: "WorkflowBundleWithSourceMapAndFilename, the form of a bundle",
    users: ["workflow-bundle.ts"],
    async check() {
      const { code } = await bundled();
      const given = { workflowBundle: { code }, interceptors: { workflowModules: [] } };
      const theirs = await (Worker as unknown as Loads).getOrCreateBundle(given, logger);
      const ours = parseBundle(code) as WorkflowBundle;
      const { file: _, ...sourceMap } = ours.sourceMap;
      expect(theirs).toStrictEqual({ code: expect.any(String), filename: ours.filename, sourceMap: theirs.sourceMap });
      expect(theirs.sourceMap).toMatchObject(sourceMap);
    },
  },
  {
    thing: "__TEMPORAL__.importWorkflows, the globals of the sandbox and the name of a bundle",
    users: ["bundled-types.ts"],
    async check() {
      const { code, assets } = await bundled();
      expect(bundledTypes(code)).toEqual({ types: ["contract"] });
      expect(assets.filter((file) => BUNDLE_ASSET.test(file))).toHaveLength(1);
    },
  },
  {
    thing: "Activator's getStackTraces, and the hook that keeps stacks of promises",
    users: ["promise-stacks.ts"],
    async check() {
      expect(methodsOf(Activator)).toContain("getStackTraces");
      const { on, off } = await runs();
      expect(await on.query("stacks")).toBeGreaterThan(0);
      expect(await on.query("__stack_trace")).toContain("contract-workflow.ts");
      expect([await off.query("stacks"), await off.query("__stack_trace")]).toEqual([0, WITHOUT_STACKS]);
    },
  },
  {
    thing: "setCurrentDetails, which keeps its value until __temporal_workflow_metadata",
    users: ["src/workflows/sdk/details-when-asked.ts"],
    async check() {
      const { off } = await runs();
      expect(await off.query("__temporal_workflow_metadata")).toMatchObject({ currentDetails: "drawn" });
    },
  },
  {
    thing: "condition, which is looked at when nothing else can run",
    users: ["src/workflows/sdk/next-round.ts"],
    async check() {
      const { off } = await runs();
      expect(await off.query("order")).toEqual(["everything else", "next round"]);
    },
  },
  {
    thing: "isolateExecutionTimeout",
    users: ["hidden-settings.ts"],
    async check() {
      const { options } = await startedWith({ ...COMPUTING_LIMIT, isolateExecutionTimeout: "7s" });
      expect([Object.keys(COMPUTING_LIMIT), options.isolateExecutionTimeoutMs]).toEqual([
        ["isolateExecutionTimeout"],
        7_000,
      ]);
    },
  },
  {
    thing: LAST_POLLS,
    users: ["hidden-settings.ts"],
    check: () => expect(nativePart().includes(LAST_POLLS)).toBe(true),
  },
  {
    thing: `"${ALONE}", the id of a query without a workflow task`,
    users: ["committed-queries.ts"],
    check: () => expect(nativePart().includes(ALONE)).toBe(true),
  },
  {
    thing: "visit and walkGetWorkflowExecutionHistoryResponse",
    users: ["history-payloads.ts"],
    async check() {
      const seen: unknown[] = [];
      const history = historyOfPayloads();
      await changePayloads(history, async (payloads) => {
        seen.push(payloads.map((payload) => defaultPayloadConverter.fromPayload(payload)));
        return payloads.map(() => payloadOf("changed"));
      });
      expect(seen).toEqual(
        expect.arrayContaining([["input 1", "input 2"], ["memo"], ["header"], ["failure"], ["cause"]]),
      );
      expect(seen).toHaveLength(5);
      const [started, failed] = history.events ?? [];
      expect(started?.workflowExecutionStartedEventAttributes?.input?.payloads).toEqual([
        payloadOf("changed"),
        payloadOf("changed"),
      ]);
      const { failure } = failed?.workflowExecutionFailedEventAttributes ?? {};
      expect(failure?.cause?.encodedAttributes).toEqual(payloadOf("changed"));
    },
  },
  {
    thing: "extstoreInboundOptions",
    users: ["history-payloads.ts"],
    async check() {
      expect(isReferencePayload(REFERENCE)).toBe(true);
      const history = () => ({
        events: [{ workflowExecutionStartedEventAttributes: { input: { payloads: [REFERENCE] } } }],
      });
      await expect(fetchStoredPayloads(history(), undefined)).rejects.toThrow("external storage is not configured");
      const driver = { name: "folder", retrieve: async () => [payloadOf("stored")] };
      const storage = { drivers: [driver], getDriver: () => driver };
      const stored = history();
      await fetchStoredPayloads(stored, storage as never);
      expect(stored.events[0]?.workflowExecutionStartedEventAttributes.input.payloads).toEqual([payloadOf("stored")]);
    },
  },
  {
    thing: "protobufjs/ext/protojson of @temporalio/proto",
    users: ["history-json.ts"],
    check() {
      const [event] = (historyJson({ events: [EVENT] }) as { events: object[] }).events;
      expect(event).toEqual({
        eventId: "5",
        eventTime: "1970-01-01T00:00:07.500Z",
        eventType: "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",
        workflowExecutionStartedEventAttributes: {
          workflowRunTimeout: "90s",
          input: { payloads: [{ metadata: { encoding: "anNvbi9wbGFpbg==" }, data: "MQ==" }] },
        },
      });
    },
  },
  {
    thing: "executionInfoFromRaw",
    users: ["workflow-infos.ts"],
    async check() {
      const raw = temporal.api.workflow.v1.WorkflowExecutionInfo.fromObject({
        execution: { workflowId: "w1", runId: "r1" },
        type: { name: "agentRun" },
        status: 1,
        startTime: { seconds: 5 },
        memo: { fields: { note: payloadOf("decoded") } },
        searchAttributes: { indexedFields: { NavigatorKind: payloadOf("agent") } },
      });
      const converter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
      const options = { loadedDataConverter: converter, namespace: "default" };
      expect(await workflowInfos([raw], options as never)).toMatchObject([
        {
          workflowId: "w1",
          runId: "r1",
          type: "agentRun",
          status: { name: "RUNNING" },
          startTime: new Date(5_000),
          memo: { note: "decoded" },
          searchAttributes: { NavigatorKind: ["agent"] },
          raw,
        },
      ]);
    },
  },
];

test.each(CONTRACT.map(({ thing, users, check }) => [thing, users.join(", "), check] as const))(
  "%s: used by %s",
  async (_, __, check) => {
    await check();
  },
);

test("every private name that the folder imports has a place in the contract", () => {
  const missing = readdirSync(FOLDER).flatMap((file) =>
    privateNames(readFileSync(path.join(FOLDER, file), "utf8"))
      .filter((name) => !CONTRACT.some(({ thing, users }) => users.includes(file) && words(thing).includes(name)))
      .map((name) => `${file}: ${name}`),
  );
  expect(missing).toEqual([]);
});

const words = (text: string) => text.split(/[^\w-]+/);

/** The names that a file imports from below `lib` of Temporal's packages, and the modules there that it resolves. */
const privateNames = (text: string): string[] => [
  ...[...text.matchAll(/import (?:type )?\{([^}]*)\} from "@temporalio\/[a-z-]+\/lib\//g)].flatMap(([, names]) =>
    (names as string).split(",").flatMap((name) => name.replace(/^\s*type /, "").trim() || []),
  ),
  ...[...text.matchAll(/\("@temporalio\/[a-z-]+\/lib\/(?:.*\/)?([\w-]+)"\)/g)].map(([, name]) => name as string),
];

const methodsOf = ({ prototype }: { prototype: object }): string[] =>
  Object.getOwnPropertyNames(prototype)
    .filter((name) => name !== "constructor")
    .sort();

const payloadOf = (value: unknown) => defaultPayloadConverter.toPayload(value) as Payload;

const historyOfPayloads = (): History => ({
  events: [
    {
      workflowExecutionStartedEventAttributes: {
        input: { payloads: [payloadOf("input 1"), payloadOf("input 2")] },
        memo: { fields: { note: payloadOf("memo") } },
        searchAttributes: { indexedFields: { NavigatorKind: payloadOf("search attribute") } },
        header: { fields: { trace: payloadOf("header") } },
      },
    },
    {
      workflowExecutionFailedEventAttributes: {
        failure: { encodedAttributes: payloadOf("failure"), cause: { encodedAttributes: payloadOf("cause") } },
      },
    },
  ],
});

const REFERENCE = {
  metadata: {
    encoding: Buffer.from("json/protobuf"),
    messageType: Buffer.from("temporal.api.sdk.v1.ExternalStorageReference"),
  },
  data: Buffer.from(JSON.stringify({ driverName: "folder", claimData: { key: "k" } })),
};

const EVENT = temporal.api.history.v1.HistoryEvent.fromObject({
  eventId: 5,
  eventTime: { seconds: 7, nanos: 5e8 },
  eventType: 1,
  workflowExecutionStartedEventAttributes: {
    workflowRunTimeout: google.protobuf.Duration.fromObject({ seconds: 90 }),
    input: { payloads: [payloadOf(1)] },
  },
});

const BUNDLE = {
  code: "globalThis.__TEMPORAL__ = {}",
  sourceMap: { version: 3, sources: [], names: [], mappings: "", file: "workflows.js" } as never,
  filename: "/workflows.js",
};

/** What the SDK calls on its way to a worker with these options, until it would start a thread. */
async function startedWith(more: object) {
  const stop = new Error("far enough");
  let seen: unknown[] = [];
  let given: unknown;
  // `TimedWorker` overrides both, so `super` here is as the SDK's worker calls them.
  class Probe extends TimedWorker {
    protected static override async getOrCreateBundle(options: never) {
      given = options;
      return BUNDLE;
    }
    protected static override async createWorkflowCreator(...parts: unknown[]): Promise<never> {
      seen = parts;
      throw stop;
    }
  }
  const options = {
    ...{ taskQueue: "contract", activities: { act: async () => {} }, whileStarting: async () => {} },
    ...{ workflowBundle: { code: "" }, ...COMPUTING_LIMIT, ...more },
  };
  // A native runtime would keep the process of this test open.
  const runtime = jest.spyOn(Runtime, "instance").mockReturnValue({ logger, metricMeter: { withTags() {} } } as never);
  await expect(Probe.create(options)).rejects.toBe(stop);
  runtime.mockRestore();
  const [bundle, compiled] = seen;
  return { bundle, given, options: compiled as Parameters<(typeof Probe)["create"]>[0] & Record<string, unknown> };
}

/** The SDK's native part for this machine. */
function nativePart(): Buffer {
  const folder = path.join(path.dirname(require.resolve("@temporalio/core-bridge/package.json")), "releases");
  const words = [
    process.arch === "arm64" ? "aarch64" : "x86_64",
    process.platform === "win32" ? "windows" : process.platform,
  ];
  const release = readdirSync(folder).find((name) => words.every((word) => name.includes(word)));
  return readFileSync(path.join(folder, release as string, "index.node"));
}

const WORKFLOW = path.join(__dirname, "contract-workflow.ts");

/** A bundle that the SDK makes of `contract-workflow.ts`, as scripts/build.mjs bundles, and the files that came out. */
const bundled = once(async () => {
  const assets: string[] = [];
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOW,
    preloadModules: [path.join(FOLDER, "promise-stacks.ts"), WORKFLOW],
    webpackConfigHook: (config) => ({
      ...config,
      optimization: { ...config.optimization, sideEffects: false },
      plugins: [
        ...(config.plugins ?? []),
        { apply: ({ hooks }) => hooks.emit.tap("contract", (made) => void assets.push(...Object.keys(made.assets))) },
      ],
    }),
    logger,
  });
  // As the build writes the source map.
  return { code: code.replace("data:application/json;charset=utf-8;base64,", "data:application/json;base64,"), assets };
});

const folder = temporaryFolder("sdk-contract");
const threads: Thread[] = [];
afterAll(async () => {
  await Promise.all(threads.map((thread) => thread.terminate()));
  folder.remove();
});

/** The workflow in a thread of its own, without and with stacks of promises. */
const runs = once(async () => {
  const { code } = await bundled();
  const [off, on] = [await runOf(code), await runOf(code.replace(`"promise_stacks_off"`, `"promise_stacks_on"`))];
  return { off, on };
});

async function runOf(code: string) {
  const file = path.join(folder.path, "workflows.js");
  writeFileSync(file, code);
  for (let left = takeWorkflowThread(); left !== undefined; left = takeWorkflowThread()) await left.thread.terminate();
  startWorkflowThread([], file);
  const early = takeWorkflowThread() as NonNullable<ReturnType<typeof takeWorkflowThread>>;
  threads.push(early.thread);
  expect(await early.loaded()).toBe(true);
  const creator = new ThreadedVMWorkflowCreator([new WorkerThreadClient(early.thread, logger)]);
  const runId = "r1";
  const info = { workflowId: "w1", runId, workflowType: "contract", taskQueue: "q", namespace: "n", unsafe: {} };
  const workflow = await creator.createWorkflow({
    ...{ info, now: 0, randomnessSeed: Array(8).fill(1), showStackTraceSources: false, failureExceptionTypeNames: [] },
  } as never);
  const activate = async (job: object) =>
    (await workflow.activate({ runId, timestamp: { seconds: 1 }, historyLength: 3, jobs: [job] } as never)).successful;
  const initializeWorkflow = { workflowId: "w1", workflowType: "contract", attempt: 1, arguments: [], headers: {} };
  expect(await activate({ initializeWorkflow })).toBeDefined();
  const query = async (queryType: string): Promise<unknown> => {
    const made = await activate({ queryWorkflow: { queryId: "q1", queryType, arguments: [], headers: {} } });
    const { response } = made?.commands?.[0]?.respondToQuery?.succeeded ?? {};
    return response == null ? undefined : defaultPayloadConverter.fromPayload(response);
  };
  return { query };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
