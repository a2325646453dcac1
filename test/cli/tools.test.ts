import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { effectId } from "../../src/core/effects/effect-id";
import { IDENTITY_ADVICE } from "../../src/core/effects/effect-settings";
import { type Commands, openPlace, type Place, program } from "../support/cli";
import { isAlive } from "../support/is-alive";
import { deepTest } from "../support/run/deep";
import { until } from "../support/until";
import { SERVERS, variable } from "../tools/mcp/sources";
import { json, Service, SHOP } from "../tools/openapi/service";

/** A project with tools of every kind, as the built command sees it. */

const service = new Service();
let place: Place;
/** The commands whose process is not the point, in this process. */
let here: Commands;
const notes = () => path.join(place.folder, "notes");
const started = () => (existsSync(notes()) ? readFileSync(notes(), "utf8").trim().split("\n") : []);
const lastPid = () => Number(started().at(-1)?.split(" ")[1]);

beforeAll(async () => {
  await service.start();
  place = await openPlace("tools", { SHOP_TOKEN: "tok-12345678" });
  here = place.here();
  writeProject({});
});
afterAll(async () => {
  place.close();
  await service.close();
});

/** @param mcp more servers */
function writeProject(mcp: object, own: object = {}): void {
  const config = {
    agents: "./agents",
    script: "./script.json",
    tools: ["./tools.cjs"],
    mcp: {
      own: {
        command: process.execPath,
        args: [SERVERS.fixture],
        env: { NOTES: notes() },
        tools: ["key", "echo"],
        ...own,
      },
      ...mcp,
    },
    http: {
      shop: {
        openapi: SHOP,
        baseUrl: service.url,
        auth: { token: variable("SHOP_TOKEN") },
        prefix: "",
      },
    },
  };
  place.write("navigator.config.json", config);
  place.write(
    "tools.cjs",
    `const { defineTool } = require("navigator-agents");
     module.exports = [defineTool({ name: "add", signature: "(a :int, b :int) -> :int", effect: "read", run: ({ a, b }) => a + b })];`,
  );
  place.write("agents/buy.yaml", "prompt: Buy.\ntools: [add, own_key, createOrder]\n");
  place.write("script.json", {
    buy: [
      program(`(return {:sum (tool/add {:a 1 :b 2})
                        :key (task "key" (tool/own_key {}))
                        :order (task "order" (tool/createOrder {:sku "a"}))})`),
    ],
  });
}

describe("navigator tools", () => {
  test("lists name, effect, origin and signature, and reports what is left out", async () => {
    const { code, stdout, stderr } = await here.run(["tools"]);
    expect(code).toBe(0);
    const lines = stdout.trim().split("\n");
    expect(lines[0]).toMatch(/^name +effect +from +signature$/);
    expect(lines[1]).toMatch(/^add +read +tools\.cjs +\(a :int, b :int\) -> :int$/);
    expect(lines[2]).toMatch(/^own_key +write +mcp own +\(\) -> :any$/);
    expect(lines.join("\n")).toMatch(/\ncreateOrder +write +http shop +\(sku :string, /);
    expect(stderr).toContain("http shop: uploadPhoto is left out: its body is multipart/form-data");
  });

  test("with --json writes nothing but JSON to stdout, whatever servers print", async () => {
    const { tools, left_out } = await here.json(["tools"]);
    expect(tools).toContainEqual({
      name: "own_echo",
      effect: "write",
      from: "mcp own",
      signature: "(some-text :string?, filter :map?) -> {got :map?}",
      timeout_ms: 60_000,
    });
    expect(left_out).toContainEqual({ from: "http shop", name: "broken", reason: expect.any(String) });
    expect(isAlive(lastPid())).toBe(false);
  });

  test("reports settings about effects that do nothing, and an identity and a lookup that are missing", async () => {
    place.write("advice/navigator.config.json", { tools: ["./wire.cjs"], agents: "./agents" });
    place.write(
      "advice/wire.cjs",
      `const { defineTool } = require("navigator-agents");
       module.exports = [defineTool({ name: "wire", effect: "irreversible", run: () => null })];`,
    );
    place.write("advice/agents/bank.yaml", "prompt: Wire.\ntools: { wire: { on_same_effect: reuse } }\n");
    const messages = [
      IDENTITY_ADVICE,
      "it has no lookup, so a person is asked when the outcome of a call is lost",
      "on_same_effect is ignored: the tool is stricter, ask",
    ];
    const { code, stderr } = await here.run(["tools", "--config", "advice"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: `wire: ${messages[0]}\nwire: ${messages[1]}\nwire of agent bank: ${messages[2]}\n`,
    });
    expect(await here.json(["tools", "--config", "advice"])).toMatchObject({
      advice: [
        { tool: "wire", message: messages[0] },
        { tool: "wire", message: messages[1] },
        { tool: "wire", agent: "bank", message: messages[2] },
      ],
    });
  });

  test("types writes the types of what comes from servers and documents", async () => {
    const printed = await here.run(["tools", "types"]);
    expect(printed.stdout).toContain(
      '  "own_echo": { input: { some_text?: string; filter?: { max_size?: number } }; output: { got?: { [name: string]: unknown } } };',
    );
    expect(printed.stdout).toContain('  "createOrder": { input: { sku: string; status?: StatusInput; ');
    expect(printed.stdout).not.toContain("add");
    expect(printed.stderr).toContain("http shop: uploadPhoto is left out");
    const { file, tools } = await here.json(["tools", "types", "--out", "types.ts"]);
    expect(readFileSync(path.join(place.folder, file), "utf8")).toBe(printed.stdout);
    expect(tools).toEqual(expect.arrayContaining(["own_key", "own_echo", "createOrder"]));
    expect((await here.refused(["tools", "types", "--out", "none/types.ts"])).code).toBe("file_error");
  });

  test("reports an empty project", async () => {
    place.write("empty/navigator.config.json", {});
    expect(await here.run(["tools", "--config", "empty"])).toMatchObject({
      code: 0,
      stdout: "The project has no tools.\n",
    });
  });
});

describe("invalid settings", () => {
  test.each<{ settings: object; problem: string }>([
    { settings: { mcp: { a: {} } }, problem: "mcp.a: give either command (a server to start) or url (one that is up)" },
    {
      settings: { mcp: { a: { command: "x", headers: {} } } },
      problem: "mcp.a.headers: needs url, not command",
    },
    { settings: { mcp: { a: { url: "http://a", args: [] } } }, problem: "mcp.a.args: needs command, not url" },
    {
      settings: { mcp: { a: { command: "x", tool: [] } } },
      problem: 'mcp.a: unknown setting "tool"; there are command, args, env, ',
    },
    {
      settings: { mcp: { a: { command: "x", effects: { b: "reed" } } } },
      problem: "mcp.a.effects.b: must be read, idempotent, write or irreversible",
    },
    {
      settings: { mcp: { a: { command: "x", effects: { b: 5 } } } },
      problem: "mcp.a.effects.b: must be read, idempotent, write or irreversible, or a map of effect, identity, ",
    },
    {
      settings: { mcp: { a: { command: "x", effects: { b: { identity: "id" } } } } },
      problem: "mcp.a.effects.b.identity: must be a list of argument names",
    },
    {
      settings: { mcp: { a: { command: "x", timeout: "soon" } } },
      problem: 'mcp.a.timeout: must be milliseconds or a text such as "30s"',
    },
    { settings: { mcp: { a: { command: "x", prefix: "a b" } } }, problem: "mcp.a.prefix: must be letters" },
    { settings: { mcp: { "a b": { command: "x" } } }, problem: "mcp.a b: a name is letters" },
    { settings: { mcp: { a: "x" } }, problem: "mcp.a: must be a map with command or url" },
    { settings: { http: { a: {} } }, problem: "http.a.openapi: must be the path or the URL of an OpenAPI document" },
    { settings: { http: { a: { openapi: "x", auth: 5 } } }, problem: "http.a.auth: must be a text, or a map" },
    { settings: { htp: {} }, problem: 'unknown setting "htp"; there are project, tools, mcp, http, ' },
  ])("$settings: $problem", async ({ settings, problem }) => {
    place.write("bad/navigator.config.json", settings);
    const { code, message } = await here.refused(["tools", "--config", "bad"]);
    expect(code).toBe("bad_project");
    expect(message).toContain(`navigator.config.json: ${problem}`);
  });

  test("two tools with the same name are reported with both origins", async () => {
    const prefix = { own: { command: process.execPath, args: [SERVERS.fixture], prefix: "", tools: ["key"] } };
    place.write(
      "clash/tools.cjs",
      `module.exports = [require("navigator-agents").defineTool({ name: "key", run: () => 1 })];`,
    );
    place.write("clash/navigator.config.json", { tools: ["./tools.cjs"], mcp: prefix });
    const { code, message } = await here.refused(["tools", "--config", "clash"]);
    expect(code).toBe("already_exists");
    expect(message).toContain(
      'There are two tools called "key": one from tools.cjs, one from mcp own. Set another prefix',
    );
  });
});

describe("commands that call tools", () => {
  const OWN_KEY = { name: "own_key", effect: "write", signature: "() -> :any" } as const;
  /** What the tool `key` of the server answers. */
  const keyOf = (run: string) => `agent/${run}~${effectId(OWN_KEY, {})}~1`;

  test("run has all the tools, and leaves no server behind", async () => {
    service.reset(json({ id: 7, sku: "a" }));
    const { step } = await here.json(["run", "buy", "--id", "bought"]);
    expect(step.return).toEqual({ sum: 3, key: keyOf("bought"), order: { id: 7, sku: "a" } });
    expect(service.last.headers["idempotency-key"]).toMatch(/^agent\/bought~[\w-]{43}~1$/);
    expect(isAlive(lastPid())).toBe(false);
  });

  test("a detached run starts no server; its worker has the tools, and stops its servers when it ends", async () => {
    service.reset(json({ id: 7, sku: "a" }));
    const before = started().length;
    await here.json(["run", "buy", "--id", "for-others", "--detach"]);
    expect(started()).toHaveLength(before);
    const worker = await place.startWorker();
    const pid = lastPid();
    expect(isAlive(pid)).toBe(true);
    const journal = () => here.json(["journal", "export", "for-others"]);
    await until(async () => "order" in (await journal()), "the worker does it");
    expect(await journal()).toEqual({ key: keyOf("for-others"), order: { id: 7, sku: "a" } });
    expect(started()).toHaveLength(before + 1);
    expect(await worker.stop()).toBe(0);
    expect(isAlive(pid)).toBe(false);
  });

  deepTest("a killed worker's servers end with it", async () => {
    const worker = await place.startWorker();
    const pid = lastPid();
    process.kill(worker.pid, "SIGKILL");
    await until(async () => !isAlive(pid), "the server's end");
  });
});

describe("a server that cannot be started", () => {
  beforeAll(() => writeProject({}, { env: { MODE: "broken", API_TOKEN: variable("SHOP_TOKEN") } }));
  afterAll(() => writeProject({}));

  test.each([["tools"], ["run", "buy"], ["worker"]])(
    "navigator %s names the server and its last output",
    async (...args) => {
      const { code, message } = await here.refused(args, { code: 1 });
      expect(code).toBe("tool_source_failed");
      expect(message).toMatch(/^The MCP server "own" \(.*\) cannot be started: .*exit code 3; .*no database here$/s);
      expect(message).not.toContain("tok-12345678");
    },
  );

  test("doctor reports it, and the tools of the other servers", async () => {
    const { checks } = await here.json(["doctor"]);
    expect(checks).toContainEqual({
      name: "Tools: mcp own",
      state: "note",
      found: expect.stringMatching(/cannot be started/),
      hint: "Workers of this project cannot start without it.",
    });
    expect(checks).toContainEqual({
      name: "Tools: http shop",
      state: "note",
      found: "9 tools; left out: uploadPhoto, broken",
      hint: expect.stringContaining("uploadPhoto: its body is multipart/form-data"),
    });
  });

  test("commands that call no tool still work", async () => {
    expect(await here.run(["lisp", "-e", "(+ 1 2)"])).toMatchObject({ code: 0, stdout: "3\n" });
    expect(await here.run(["run", "buy", "--detach"])).toMatchObject({ code: 0 });
  });
});
