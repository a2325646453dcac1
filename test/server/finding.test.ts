import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { SEARCH_ATTRIBUTES } from "../../src/core/base/search-attributes";
import { lackingFeatures } from "../../src/server/features";
import { cliAlone } from "../support/cli";
import { listenForeign, runCli, temporaryFolder, testAddress } from "../support/environment";
import { isDeep } from "../support/run/deep";

/** Every refusal as a person sees it: the command, its message, its hint, its exit code. */

const NOTHING = "http://127.0.0.1:65533"; // nothing listens there: connection refused

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("finding");
});
afterEach(() => folder.remove());

const settings = (more: NodeJS.ProcessEnv = {}) => ({
  NAVIGATOR_HOME: path.join(folder.path, "home"),
  NAVIGATOR_CACHE: path.join(folder.path, "cache"),
  NAVIGATOR_DOWNLOAD_BASE: NOTHING,
  ...more,
});
const errorOf = (stderr: string) => JSON.parse(stderr.trim().split("\n").pop()!).error;

describe("a port that another program holds", () => {
  test.each([
    [
      "a web server",
      "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
      "port_in_use",
      "in use by a program that is not a Temporal server",
    ],
    [
      "a database that speaks first",
      "5.7.44-log\u0000",
      "port_in_use",
      "in use by a program that is not a Temporal server",
    ],
    ["something silent", null, "temporal_unavailable", "did not answer as a Temporal server within 5 s"],
  ])("%s on the port is reported with a remedy, exit code 3", async (_, answer, code, words) => {
    const foreign = await listenForeign(await freePortPair(), answer);
    const end = await cliAlone(["server", "start", "--json"], settings({ NAVIGATOR_PORT: String(foreign.port) }));
    await foreign.close();
    expect(end).toMatchObject({ code: 3, stdout: "" });
    expect(errorOf(end.stderr)).toMatchObject({
      code,
      message: expect.stringContaining(words),
      hint: expect.stringContaining(`--port ${foreign.port + 100}`),
    });
  });

  test("a taken Web UI port makes the start fail with the end of the server's log", async () => {
    const port = await freePortPair();
    const foreign = await listenForeign(port + 1000, "");
    const env = { ...settings(), NAVIGATOR_CACHE: undefined, NAVIGATOR_PORT: String(port) };
    const end = await cliAlone(["server", "start", "--json"], env);
    await foreign.close();
    expect(end.code).toBe(3);
    expect(errorOf(end.stderr)).toMatchObject({
      code: "local_server_failed",
      message: expect.stringMatching(/did not start: it ended with exit code 1\.[\s\S]*(in use|already)/),
      hint: expect.stringContaining("server.log"),
    });
    expect((await cliAlone(["server", "status"], env)).code).toBe(3);
  });
});

describe("a server named by TEMPORAL_ADDRESS", () => {
  test.each([
    ["nothing listens", async () => `127.0.0.1:${await freePortPair()}`, "connection refused"],
    ["the host is unknown", async () => "no-such-host.invalid:7233", "host name"],
  ])("when %s: temporal_unavailable, exit code 3, and nothing is started instead", async (_, address, words) => {
    const named = await address();
    const end = await cliAlone(["doctor", "--json"], settings({ TEMPORAL_ADDRESS: named }));
    expect(end.code).toBe(3);
    const check = JSON.parse(end.stdout).checks.find((c: { name: string }) => c.name === "Temporal server");
    expect(check).toMatchObject({
      state: "missing",
      found: expect.stringContaining(named),
      hint: expect.stringContaining("TEMPORAL_ADDRESS"),
    });
    expect(check.found).toContain(words);
    expect(existsSync(path.join(folder.path, "home"))).toBe(false);
  });

  test("a silent listener is given up after five seconds", async () => {
    const silent = await listenForeign(await freePortPair(), null);
    const end = await cliAlone(["doctor"], settings({ TEMPORAL_ADDRESS: `127.0.0.1:${silent.port}` }));
    await silent.close();
    expect(end.code).toBe(3);
    expect(end.stdout).toContain("did not answer as a Temporal server within 5 s");
  });

  test("the doctor finds it, its namespace and its search attributes", async () => {
    const end = await runCli(["doctor", "--json"], settings({ TEMPORAL_ADDRESS: testAddress() }));
    expect(end.code).toBe(0);
    expect(JSON.parse(end.stdout)).toMatchObject({
      ready: true,
      checks: expect.arrayContaining([
        { name: "Temporal server", state: "ok", found: expect.stringContaining(testAddress()) },
        { name: "Namespace", state: "ok", found: "default" },
        { name: "Search attributes", state: "ok", found: `all ${Object.keys(SEARCH_ATTRIBUTES).length}` },
        {
          ...{ name: "Fair queues", state: "note", found: expect.stringContaining("not known") },
          hint: expect.stringContaining("matching.enableFairness"),
        },
      ]),
    });
  });

  test("a missing namespace is reported with the command that creates it", async () => {
    const env = settings({ TEMPORAL_ADDRESS: testAddress(), TEMPORAL_NAMESPACE: "nowhere" });
    const end = await cliAlone(["doctor"], env);
    expect(end.code).toBe(3);
    expect(end.stdout).toContain('no namespace "nowhere"');
    expect(end.stdout).toContain("temporal operator namespace create -n nowhere");
  });
});

describe("no Temporal CLI on the machine", () => {
  const nodeOnly = () => {
    const bin = path.join(folder.path, "bin");
    mkdirSync(bin);
    return bin;
  };

  test("no network and no Go: each attempt and a remedy, exit code 3", async () => {
    const port = String(await freePortPair());
    const env = settings({ PATH: nodeOnly(), NAVIGATOR_PORT: port });
    const end = await cliAlone(["server", "start"], env);
    expect(end).toMatchObject({ code: 3, stdout: "" });
    expect(end.stderr).toContain("Downloading the Temporal CLI 1.9.1 from http://127.0.0.1:65533");
    expect(end.stderr).toContain("did not give the CLI (connection refused");
    expect(end.stderr).toContain("there is no `go` on PATH");
    expect(end.stderr).toContain(
      "[local_server_failed] No Temporal server is running, and there is no Temporal CLI to start one with.",
    );
    expect(end.stderr).toContain("→ Or set TEMPORAL_ADDRESS");
  });

  test("Go without a module proxy: Go's own message is shown, exit code 3", async () => {
    const offline = {
      GOPROXY: NOTHING,
      GOMODCACHE: path.join(folder.path, "mod"),
      GOFLAGS: "-modcacherw",
      GOTOOLCHAIN: "local",
    };
    const env = settings({ NAVIGATOR_PORT: String(await freePortPair()), ...offline });
    const end = await cliAlone(["server", "start", "--json"], env);
    expect(end.code).toBe(3);
    expect(errorOf(end.stderr)).toMatchObject({
      code: "local_server_failed",
      details: {
        tried: [
          expect.stringContaining("not found"),
          expect.stringContaining("Download:"),
          expect.stringMatching(/Go: .*failed: .*(127\.0\.0\.1:65533|PATH)|no `go`/),
        ],
      },
    });
  });

  test("the doctor reports the same without installing anything", async () => {
    const env = settings({ PATH: nodeOnly(), NAVIGATOR_PORT: String(await freePortPair()) });
    const end = await cliAlone(["doctor"], env);
    expect(end.code).toBe(3);
    expect(end.stdout).toContain("No Temporal server is available yet.");
    expect(existsSync(path.join(folder.path, "cache"))).toBe(false);
  });

  test.each([
    [
      "is too old",
      "echo 'temporal version 1.3.0 (Server 1.28.1, UI 2.0.0)'",
      "its server is 1.28, and 1.29 or newer is needed",
    ],
    ["is another program", "echo 'hello'", "it does not look like the Temporal CLI"],
    ["is broken", "exit 7", '--version" failed'],
  ])("a `temporal` on PATH that %s is named and skipped", async (_, script, words) => {
    const bin = nodeOnly();
    writeFileSync(path.join(bin, "temporal"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const end = await cliAlone(
      ["server", "start"],
      settings({ PATH: bin, NAVIGATOR_PORT: String(await freePortPair()) }),
    );
    expect(end.code).toBe(3);
    expect(end.stderr).toContain(words);
  });
});

describe("the project of a folder without packages, as a container has it", () => {
  const doctor = async (name: string, text: string) => {
    writeFileSync(path.join(folder.path, name), text);
    // As it was built: what is imported from the sources is not JavaScript.
    const main = path.join(__dirname, "../../dist/cli/main.js");
    const env = { PATH: process.env.PATH, HOME: folder.path, ...settings({ TEMPORAL_ADDRESS: testAddress() }) };
    const end = spawnSync(process.execPath, [main, "doctor", "--json"], { cwd: folder.path, env, encoding: "utf8" });
    const { ready, checks } = JSON.parse(end.stdout);
    return { code: end.status, ready, project: checks.find((one: { name: string }) => one.name === "Project") };
  };
  const use = `tools: [defineTool({ name: "look", signature: "() -> :string", run: () => "seen" })],
    agents: [{ name: "clerk", prompt: "Work." }]`;

  const PROJECTS = [
    ["navigator.config.mjs", `import { defineTool } from "navigator-agents"; export default { ${use} };`],
    ["navigator.config.cjs", `const { defineTool } = require("navigator-agents"); module.exports = { ${use} };`],
    ["navigator.config.ts", `import { defineTool } from "navigator-agents"; export default { ${use} };`],
  ] as const;
  test.each(isDeep ? PROJECTS : PROJECTS.slice(-1))("%s finds the package by its name", async (name, text) => {
    expect(await doctor(name, text)).toMatchObject({
      ...{ code: 0, ready: true },
      project: { state: "ok", found: expect.stringContaining("1 agent (clerk), 1 tool") },
    });
  });

  test("one that cannot be loaded is not ready: no worker can serve it", async () => {
    expect(await doctor("navigator.config.mjs", 'import "no-such-package"; export default {};')).toMatchObject({
      ...{ code: 2, ready: false },
      project: { state: "missing", found: expect.stringContaining("no-such-package") },
    });
  });
});

test("doctor names what a server lacks; without updates nothing can be decided", () => {
  const all = {
    supportsSchedules: true,
    encodedFailureAttributes: true,
    upsertMemo: true,
    nexus: true,
    eagerWorkflowStart: true,
    syncUpdate: true,
    workerPollCompleteOnShutdown: true,
  };
  expect(lackingFeatures(all)).toEqual([]);
  const names = Object.keys(all).map((name) => lackingFeatures({ ...all, [name]: false }).map((one) => one.name));
  expect(names.every((lacking) => lacking.length === 1)).toBe(true);
  // A server that does not know the word lacks the feature.
  expect(lackingFeatures({})).toHaveLength(names.length);
  expect(lackingFeatures({ ...all, syncUpdate: null })).toMatchObject([{ isNeeded: true }]);
});
