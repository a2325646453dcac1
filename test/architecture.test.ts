import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

const root = path.join(__dirname, "..");

const SCHEMA = ["zod", "yaml"];

/** Room of src -> what its files may import besides the room itself. An entry that ends in "/" or ":" allows all that begins so. */
const ALLOWED: Record<string, string[]> = {
  // Workflows have no `node:crypto`: the ids of effects are SHA-256 by @noble/hashes, which is plain JavaScript.
  "src/core/": ["zod", "@noble/hashes/"],
  "src/workflows/": [
    "src/core/",
    "@temporalio/workflow",
    "@temporalio/common",
    "@noble/hashes/",
    "nexus-rpc",
    // The modules of an application, beside which ours are bundled (src/worker/plugin/navigator-plugin.ts).
    "their-workflows",
  ],
  // The edge of the process: files, settings, secrets, keys, encoding, telemetry, streams, HTTP.
  "src/node/": [
    "src/core/",
    ...SCHEMA,
    "node:",
    "@temporalio/",
    "@opentelemetry/",
    "@aws-sdk/client-s3",
    "jose",
    "pg",
    "pino",
  ],
  "src/models/": ["src/core/", "src/node/", "@ai-sdk/", "ai", "node:", ...SCHEMA],
  "src/tools/": ["src/core/", "src/node/", "@modelcontextprotocol/", "node:", ...SCHEMA, "ajv", "ajv-formats"],
  "src/activities/": [
    "src/core/",
    "src/node/",
    "src/models/",
    "src/tools/",
    "@temporalio/",
    "nodemailer",
    "node:",
    "zod",
  ],
  "src/client/": ["src/core/", "src/node/", "src/workflows", "@temporalio/", "node:", "zod"],
  "src/simulate/": ["src/core/", "src/models/", "src/tools/", ...SCHEMA],
  "src/project/": [
    "src/core/",
    "src/node/",
    "src/models/",
    "src/tools/",
    "src/activities/",
    "src/simulate/",
    // A project's own configuration is a module that imports this package.
    "navigator-agents",
    "@temporalio/common",
    "jiti",
    "node:",
    ...SCHEMA,
  ],
  "src/server/": ["src/core/", "src/node/", "src/client/", "src/project/", "@temporalio/client", "node:", "zod"],
  "src/worker/": [
    "src/core/",
    "src/node/",
    "src/activities/",
    "src/models/",
    "src/tools/",
    "src/client/",
    "src/server/search-attributes",
    "src/workflows",
    "@temporalio/",
    "nexus-rpc",
    "node:",
    // The files of calls under way, and the tokens of workflow tasks (src/worker/lost-work).
    "zod",
    "protobufjs/minimal",
  ],
  "src/testing/": [
    "src/core/",
    "src/node/",
    "src/models/",
    "src/tools/",
    "src/simulate/",
    "src/client/",
    "src/worker/",
    "src/workflows/start/",
    "src/server/search-attributes",
    "@temporalio/",
    "node:",
  ],
  "src/mcp/": [
    "src/core/",
    "src/node/",
    "src/client/",
    "src/project/",
    "src/server/",
    "src/workflows/start/",
    "@modelcontextprotocol/",
    "@temporalio/client",
    "node:",
    "zod",
  ],
  "src/web/": [
    "src/core/",
    "src/node/",
    "src/client/",
    "src/project/",
    "src/server/",
    "src/activities/",
    "src/models/",
    "src/tools/",
    "src/simulate/",
    "src/workflows/start/",
    "@temporalio/",
    "@hono/node-server",
    "@a2a-js/sdk",
    "hono",
    "jose",
    "node:",
    "zod",
  ],
};

interface Import {
  file: string;
  line: number;
  /** A package name, or a path in the repository without its ending. */
  target: string;
  typeOnly: boolean;
}

const IMPORT =
  /(?:^|[;\s])(?:import|export)\s+(type\s)?(?:[^"';]*?\sfrom\s+)?"([^"]+)"|(?:import|require)\(\s*"([^"]+)"\s*\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(IMPORT)].map((match) => ({
    file,
    line: text.slice(0, match.index).split("\n").length,
    target: resolve(file, (match[2] ?? match[3])!),
    typeOnly: match[1] !== undefined,
  }));
}

/** What is left of a module's imports when it runs. */
function valueImportsOf(file: string): Import[] {
  if (!existsSync(path.join(root, file))) return [];
  const text = readFileSync(path.join(root, file), "utf8");
  const onlyTypes = [...text.matchAll(/\{([^{}]*)\}\s*from\s*"([^"]+)"/g)]
    .filter(([, names]) => (names as string).split(",").every((name) => /^\s*(type\s|$)/.test(name)))
    .map(([, , specifier]) => resolve(file, specifier as string));
  return importsOf(file).filter(({ target, typeOnly }) => !typeOnly && !onlyTypes.includes(target));
}

function resolve(file: string, specifier: string): string {
  if (!specifier.startsWith(".")) return specifier;
  const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier)).replace(/\/$/, "");
  const absolute = path.join(root, target);
  return existsSync(absolute) && statSync(absolute).isDirectory() ? `${target}/index` : target;
}

function sources(folder: string): string[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join(folder, file.split(path.sep).join("/")))
    .filter((file) => file.endsWith(".ts"))
    .sort();
}

const isAllowed = (target: string, allowed: string[]) =>
  allowed.some(
    (entry) => target === entry || (/[/:]$/.test(entry) ? target.startsWith(entry) : target.startsWith(`${entry}/`)),
  );

const asLine = ({ file, line, target }: Import) => `${file}:${line} imports ${target}`;
const imports = sources("src").flatMap(importsOf);

describe("the layers", () => {
  test.each(Object.entries(ALLOWED))("%s imports only what its layer allows", (layer, allowed) => {
    const own = imports.filter(({ file }) => file.startsWith(layer));
    expect(own.filter(({ target }) => !isAllowed(target, [layer, ...allowed])).map(asLine)).toEqual([]);
  });

  test("src has sixteen rooms, and the core eleven", () => {
    const rooms = (folder: string) =>
      readdirSync(path.join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => name)
        .sort();
    expect(rooms("src")).toEqual(
      ["entries", "cli", "web", "mcp", "testing", "worker", "server", "project", "simulate"]
        .concat(["activities", "client", "models", "tools", "node", "workflows", "core"])
        .sort(),
    );
    expect(rooms("src/core")).toEqual(
      [
        "base",
        "calls",
        "lisp",
        "signature",
        "agent",
        "graph",
        "plan",
        "journal",
        "effects",
        "review",
        "history",
      ].sort(),
    );
  });

  test("the client imports only types from src/workflows, except for messages, search attributes and starts", () => {
    const values = imports.filter(
      ({ file, target, typeOnly }) =>
        file.startsWith("src/client/") && target.startsWith("src/workflows/") && !typeOnly,
    );
    const others = values.filter(
      ({ target }) =>
        !["src/workflows/messages", "src/workflows/search-attributes"].includes(target) &&
        !target.startsWith("src/workflows/start/"),
    );
    expect(others.map(asLine)).toEqual([]);
  });

  const loadedByWorkflows = (matching: RegExp) => {
    const reached = new Set(["src/workflows/index"]);
    // A set grows while it is walked.
    for (const module of reached) for (const { target } of valueImportsOf(`${module}.ts`)) reached.add(target);
    expect(reached.size).toBeGreaterThan(100);
    return [...reached].filter((module) => {
      const file = path.join(root, `${module}.ts`);
      return existsSync(file) && matching.test(readFileSync(file, "utf8"));
    });
  };

  test("modules that workflows load make no schema while loading: schemas change when first used, and loaded modules are frozen", () =>
    expect(loadedByWorkflows(/^(export )?const \w+ = z\b/m)).toEqual([]));

  test("modules that workflows load export no regular expression with a position: exports are frozen", () =>
    expect(loadedByWorkflows(/^export const \w+(: \w+)? = \/.*\/[a-z]*[gy]/m)).toEqual([]));

  test("a pattern that remembers its last match would be found: exports are frozen", () => {
    const remembering = sources("src/core").filter((file) =>
      /^export const \w+ = \/.*\/[a-z]*[gy]/m.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(remembering).toEqual([]);
  });

  test("only the MCP server and the MCP tool source import the MCP SDK: a new SDK version touches only these", () => {
    const outside = imports.filter(
      ({ file, target }) => target.startsWith("@modelcontextprotocol/") && !/^src\/(mcp|tools\/mcp)\//.test(file),
    );
    expect(outside.map(asLine)).toEqual([]);
  });

  test("only src/node/sdk-internals and src/workflows/sdk reach into Temporal's packages: their contract test notices what a new SDK version changes", () => {
    const outside = sources("src").filter(
      (file) =>
        !/^src\/(?:node\/sdk-internals|workflows\/sdk)\//.test(file) &&
        /["'`](@temporalio\/[a-z-]+\/|protobufjs\/ext\/)/.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(outside).toEqual([]);
  });

  test("only the command line imports the command line", () => {
    const inward = imports.filter(({ file, target }) => !file.startsWith("src/cli/") && target.startsWith("src/cli/"));
    expect(inward.map(asLine)).toEqual([]);
  });

  test("src imports nothing of prove, bench and the tests, and only the command of the demo imports an example", () => {
    const outward = imports.filter(({ target }) => /^(prove|bench|test)\//.test(target));
    expect(outward.map(asLine)).toEqual([]);
    const examples = imports.filter(({ target }) => target.startsWith("examples/"));
    expect([...new Set(examples.map(({ file }) => file))]).toEqual([
      "src/cli/commands/demo.ts",
      "src/cli/show/render-demo.ts",
    ]);
  });

  test("only the command `prove` knows where the proofs are", () => {
    const knowing = sources("src").filter((file) =>
      /navigator-agents-prove|"prove"/.test(readFileSync(path.join(root, file), "utf8")),
    );
    expect(knowing).toEqual(["src/cli/commands/prove.ts"]);
  });

  test("proofs import src, the worker of the demo, and the packages that navigator-agents-prove depends on", () => {
    const { dependencies } = JSON.parse(readFileSync(path.join(root, "prove/package.json"), "utf8"));
    const allowed = ["prove/", "src/", "examples/order/demo/worker-process", "node:", ...Object.keys(dependencies)];
    const proofs = sources("prove").flatMap(importsOf);
    // Only its types: the command line creates the command, and passes it.
    const others = proofs.filter(({ target, typeOnly }) => !(target === "commander" && typeOnly));
    expect(others.filter(({ target }) => !isAllowed(target, allowed)).map(asLine)).toEqual([]);
    expect(Object.keys(dependencies).filter((name) => !proofs.some(({ target }) => target === name))).toEqual([]);
  });

  test("the imports of this repository are found", () => {
    expect(imports.map(asLine)).toContainEqual(
      expect.stringMatching(/^src\/server\/open-server\.ts:\d+ imports src\/node\/settings$/),
    );
    expect(imports.filter(({ target }) => target === "@temporalio/client").length).toBeGreaterThan(0);
  });
});

const REFUSED = [
  "export const at = Date.now();",
  "export const clock = Date.now;",
  "export const chance = Math.random();",
  "export const today = new Date();",
  "export const text = Date();",
  "export const mark = performance.now();",
  'import { readFileSync } from "node:fs";\nexport const read = readFileSync;',
  'import { Client } from "@temporalio/client";\nexport const client = Client;',
  'import { run } from "../workflows/run";\nexport const again = run;',
  "export const home = process.env;",
  "setTimeout(() => 1, 5);",
].map((snippet, index) => ({ file: `src/core/refused-${index}.ts`, snippet }));

const ACCEPTED = [
  { file: "src/core/date-of-a-number.ts", snippet: "export const at = new Date(5).toISOString();" },
  { file: "src/core/time-of-the-host.ts", snippet: "export const now = (host: { now(): number }) => host.now();" },
  { file: "src/cli/clock.ts", snippet: "export const at = Date.now();" },
];

describe("the linter keeps clock, randomness, Node and Temporal out of the core", () => {
  let complaints: string;
  beforeAll(() => {
    complaints = lint([...REFUSED, ...ACCEPTED]);
  });

  test.each(REFUSED)("it refuses $snippet", ({ file }) => expect(complaints).toContain(`/${file},`));
  test.each(ACCEPTED)("in $file it accepts $snippet", ({ file }) => expect(complaints).not.toContain(`/${file},`));
});

/** What the linter says, with this repository's settings, about files that exist for this test alone. */
function lint(files: { file: string; snippet: string }[]): string {
  const folder = mkdtempSync(path.join(tmpdir(), "navigator-lint-"));
  const settings = JSON.parse(readFileSync(path.join(root, "biome.json"), "utf8")) as object;
  writeFileSync(path.join(folder, "biome.json"), JSON.stringify({ ...settings, vcs: { enabled: false } }));
  cpSync(path.join(root, "lint"), path.join(folder, "lint"), { recursive: true });
  for (const { file, snippet } of files) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), `${snippet}\n`);
  }
  const biome = require.resolve("@biomejs/biome/bin/biome", { paths: [root] });
  const { stdout } = spawnSync(process.execPath, [biome, "lint", "--reporter=github", "."], {
    cwd: folder,
    encoding: "utf8",
  });
  rmSync(folder, { recursive: true });
  return stdout;
}
