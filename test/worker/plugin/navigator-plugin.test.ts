import { readFileSync } from "node:fs";
import path from "node:path";
import { type BundleOptions, bundleWorkflowCode, DefaultLogger, type WorkerOptions } from "@temporalio/worker";
import { dependencies } from "../../../package.json";
import { NavigatorPlugin, type NavigatorPluginOptions } from "../../../src";
import { createDataConverter } from "../../../src/node/encoding/data-converter";
import { bundledTypes } from "../../../src/node/sdk-internals/bundled-types";
import { wantsOwnBundle, workflowCode } from "../../../src/worker/worker-parts";
import { BUNDLE_FILE } from "../../support/built-bundle";
import { sized } from "../../support/run/property";

/** What the plugin makes of the options of somebody's worker (docs/embedding.md). */
const configured = (given: Partial<WorkerOptions>, options: NavigatorPluginOptions = {}) =>
  new NavigatorPlugin(options).configureWorker({ taskQueue: "orders", ...given });

const OWN = require.resolve("../../../src/workflows");
const bundleOf = (...types: string[]) => ({
  code: `var __TEMPORAL__ = { importWorkflows: () => ({ ${types.map((type) => `${type}() {}`).join(", ")} }) };`,
});

/** Has a bundle contain few-workflows.ts instead of Navigator's workflows: another test below loads those. */
function withFewWorkflows(compiler: unknown): void {
  interface Asked {
    request: string;
    contextInfo: { issuer: string };
  }
  interface Hook<T> {
    tap(name: string, tap: (one: T) => void): void;
  }
  const { hooks } = compiler as { hooks: { normalModuleFactory: Hook<{ hooks: { beforeResolve: Hook<Asked> } }> } };
  hooks.normalModuleFactory.tap("test", (factory) =>
    factory.hooks.beforeResolve.tap("test", (asked) => {
      if (asked.request === ".." && asked.contextInfo.issuer.includes("with-theirs"))
        asked.request = require.resolve("./few-workflows");
    }),
  );
}

describe("names", () => {
  test("an activity with the name of one of Navigator's is refused", async () => {
    await expect(configured({ activities: { callTool: async () => 1, charge: async () => 2 } })).rejects.toMatchObject({
      code: "already_exists",
      details: { names: ["callTool"] },
    });
  });
  test("so is a workflow, also in code that uses clock, chance and timers while it loads, with source maps beside the bundle", async () => {
    const bundling = bundleWorkflowCode({
      workflowsPath: require.resolve("./clashing-workflows"),
      webpackConfigHook: (config) => ({
        ...config,
        devtool: "source-map",
        plugins: [...(config.plugins ?? []), ...sized([{ apply: withFewWorkflows } as never], [])],
      }),
      plugins: [new NavigatorPlugin()],
      logger: new DefaultLogger("ERROR"),
    });
    // Not the bundle itself in the message of a failed test: it has megabytes.
    const made = await bundling.then(
      () => "a bundle",
      (error: unknown) => error,
    );
    expect(made).toMatchObject({ code: "already_exists", details: { names: ["agentRun"] } });
  });
});

describe("workflows", () => {
  test("a bundle that was made without Navigator's is refused, by a worker and by a replay", async () => {
    const refused = { code: "bad_project", details: { missing: expect.arrayContaining(["planRun"]) } };
    const workflowBundle = bundleOf("agentRun", "mine");
    await expect(configured({ workflowBundle })).rejects.toMatchObject(refused);
    await expect(new NavigatorPlugin().configureReplayWorker({ workflowBundle })).rejects.toMatchObject(refused);
  });
  test("the types of Navigator's own bundle are found as those of any other", async () => {
    const found = bundledTypes(readFileSync(BUNDLE_FILE, "utf8"));
    expect(found).toEqual({ types: expect.arrayContaining(Object.keys(require("../../../src/workflows"))) });
  });
  test("a worker and a replay without workflows run Navigator's; a worker that is told not to stays without", async () => {
    const ours = { workflowBundle: { codePath: BUNDLE_FILE } };
    expect(await configured({})).toMatchObject(ours);
    expect(await new NavigatorPlugin().configureReplayWorker({})).toMatchObject(ours);
    expect(await configured({}, { workflows: false })).not.toHaveProperty("workflowBundle");
  });
  test.each<[string, Partial<WorkerOptions>]>([
    ["interceptors", { interceptors: { workflowModules: ["./mine"] } }],
    ["bundler options", { bundlerOptions: { ignoreModules: ["fs"] } }],
    ["a payload converter", { dataConverter: { payloadConverterPath: "./mine" } }],
    ["a failure converter", { dataConverter: { failureConverterPath: "./mine" } }],
  ])(
    "%s of theirs have them bundled when the worker starts, because a bundle from the build could not have it",
    (_, theirs) => {
      expect(wantsOwnBundle(theirs)).toBe(true);
      expect(workflowCode({ anew: wantsOwnBundle(theirs) }, __filename)).toEqual({ workflowsPath: OWN });
    },
  );
  test("the bundle from the build does for a project's own data converter", () => {
    const dataConverter = createDataConverter({ codecs: [{ encode: async (all) => all, decode: async (all) => all }] });
    expect(wantsOwnBundle({ dataConverter })).toBe(false);
    expect(workflowCode({}, __filename)).toEqual({ workflowBundle: { codePath: __filename } });
  });
  test.each<[string, object, object]>([
    ["an object", { a: "b" }, { a: "b", "their-workflows$": "./theirs" }],
    [
      "a list",
      [{ name: "a", alias: "b" }],
      [{ name: "a", alias: "b" }, expect.objectContaining({ alias: "./theirs" })],
    ],
  ])("aliases of another plugin stay, as %s", (_, alias, expected) => {
    const { webpackConfigHook } = new NavigatorPlugin().configureBundler({ workflowsPath: "./theirs" });
    const hook = webpackConfigHook as NonNullable<BundleOptions["webpackConfigHook"]>;
    expect(hook({ resolve: { alias: alias as never } }).resolve?.alias).toEqual(expected);
  });
});

test("what a worker sets is kept, and given to the connection too, the plugin is added once", async () => {
  const plugin = new NavigatorPlugin();
  const activities = { charge: async () => 1 };
  const once = await plugin.configureWorker({
    taskQueue: "orders",
    activities,
    stickyQueueScheduleToStartTimeout: "7s",
  });
  expect(once).toMatchObject({
    stickyQueueScheduleToStartTimeout: "7s",
    maxHeartbeatThrottleInterval: "1s",
    activities,
  });
  expect(await plugin.configureWorker(once)).toBe(once);
});

test("with `secrets`, values of secrets in the environment are masked before any codec of theirs", async () => {
  process.env.PLUGIN_TEST_TOKEN = "zq8rT4vK2mN9xW6bLp3dHs7";
  const spy = { encode: async (all: never[]) => all, decode: async (all: never[]) => all };
  const { dataConverter } = await configured({ dataConverter: { payloadCodecs: [spy] } }, { secrets: {} });
  const data = Buffer.from(JSON.stringify({ note: `with ${process.env.PLUGIN_TEST_TOKEN}` }));
  const metadata = { encoding: Buffer.from("json/plain") };
  const [payload] = (await dataConverter?.payloadCodecs?.[0]?.encode([{ metadata, data }])) ?? [];
  expect(Buffer.from(payload?.data ?? []).toString()).toBe('{"note":"with [secret PLUGIN_TEST_TOKEN]"}');
  expect(dataConverter?.payloadCodecs?.at(-1)).toBe(spy);
});

test("the guide names the version of Temporal's packages that the application must have", () => {
  const guide = readFileSync(path.join(__dirname, "../../../docs/embedding.md"), "utf8");
  const versions = Object.entries(dependencies).filter(([name]) => name.startsWith("@temporalio/"));
  expect(new Set(versions.map(([, version]) => version)).size).toBe(1);
  expect(guide).toContain(`\`@temporalio/*\` ${versions[0]?.[1]}`);
});
