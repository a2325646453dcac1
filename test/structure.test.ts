import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { temporal } from "@temporalio/proto";

/**
 * The structure of the whole of `src`: no import circle between files (types count) or between folders, no crowded
 * folder, no loose file, no name that two files export. Who may import whom is in architecture.test.ts.
 */
const root = path.join(__dirname, "..");

/** Entry files: they only export what their folder has, so each counts as a folder of its own. */
const ENTRY_FILES = ["index.ts", "main.ts", "src/mcp/server.ts"];
const isEntryFile = (file: string) => ENTRY_FILES.some((entry) => file === entry || file.endsWith(`/${entry}`));

const files = readdirSync(path.join(root, "src"), { recursive: true, encoding: "utf8" })
  .map((file) => path.posix.join("src", file.split(path.sep).join("/")))
  .filter((file) => file.endsWith(".ts"))
  .sort();
const known = new Set(files);
const textOf = (file: string) => readFileSync(path.join(root, file), "utf8");

const IMPORT = /(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+|\brequire\(\s*)"(\.[^"\n]*)"/g;

const importsOf = (file: string): string[] =>
  [...textOf(file).matchAll(IMPORT)].flatMap(([, specifier]) => {
    const target = path.posix.join(path.posix.dirname(file), specifier as string);
    return [`${target}.ts`, `${target}/index.ts`].filter((one) => known.has(one)).slice(0, 1);
  });

type Graph = ReadonlyMap<string, readonly string[]>;
const fileGraph: Graph = new Map(files.map((file) => [file, importsOf(file)]));

const folderOf = (file: string) => (isEntryFile(file) ? file : path.posix.dirname(file));
const folderGraph: Graph = new Map(
  [...new Set(files.map(folderOf))].map((folder) => [
    folder,
    [
      ...new Set(
        files
          .filter((file) => folderOf(file) === folder)
          .flatMap((file) => fileGraph.get(file) ?? [])
          .map(folderOf)
          .filter((other) => other !== folder),
      ),
    ],
  ]),
);

/** Every node from which a way leads back to itself, with the shortest such way. */
function circles(graph: Graph): string[] {
  const found = new Map<string, string>();
  for (const start of graph.keys()) {
    const from = new Map<string, string>();
    const open = [start];
    for (const at of open)
      for (const next of graph.get(at) ?? []) {
        if (next === start) {
          const way = [start];
          for (let back = at; back !== start; back = from.get(back) as string) way.unshift(back);
          const key = [...way].sort().join(" ");
          if (!found.has(key)) found.set(key, [start, ...way].join(" -> "));
          open.length = 0;
          break;
        }
        if (from.has(next)) continue;
        from.set(next, at);
        open.push(next);
      }
  }
  return [...found.values()].sort();
}

test("imports are found", () => {
  expect(files.length).toBeGreaterThan(300);
  expect(fileGraph.get("src/workflows/index.ts")?.length).toBeGreaterThan(3);
});

test("a circle would be found", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["b"]],
  ]);
  expect(circles(graph)).toEqual(["b -> c -> b"]);
});

test("no file imports itself through others, types included", () => expect(circles(fileGraph)).toEqual([]));

test("no folder imports itself through others", () => expect(circles(folderGraph)).toEqual([]));

test("no folder of src or test holds more than 25 files of code", () => {
  const tests = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join("test", file.split(path.sep).join("/")))
    .filter((file) => file.endsWith(".ts"))
    // The deep tests of a file stand beside it, and are looked for with it.
    .map((file) => file.replace(/\.deep\.test\.ts$/, ".test.ts"));
  const count = new Map<string, number>();
  for (const file of new Set([...files, ...tests])) {
    const folder = path.posix.dirname(file);
    count.set(folder, (count.get(folder) ?? 0) + 1);
  }
  expect([...count].filter(([, n]) => n > 25)).toEqual([]);
});

test("src holds its three entry files and no other file", () =>
  expect(files.filter((file) => path.posix.dirname(file) === "src")).toEqual([
    "src/client.ts",
    "src/index.ts",
    "src/worker.ts",
  ]));

test("no two files declare the same exported name", () => {
  const DECLARED =
    /^export\s+(?:declare\s+|abstract\s+|async\s+)*(?:const|let|function\*?|class|interface|type|enum)\s+([\w$]+)/gm;
  const places = new Map<string, Set<string>>();
  for (const file of files)
    for (const [, name] of textOf(file).matchAll(DECLARED))
      places.set(name as string, (places.get(name as string) ?? new Set()).add(file));
  expect([...places].filter(([, at]) => at.size > 1).map(([name, at]) => `${name}: ${[...at].join(", ")}`)).toEqual([]);
});

test("generated cases come through test/support/run/property.ts, which sets their number and seed", () => {
  const helper = "test/support/run/property.ts";
  const tests = readdirSync(path.join(root, "test"), { recursive: true, encoding: "utf8" })
    .map((file) => path.posix.join("test", file.split(path.sep).join("/")))
    .filter((file) => file.endsWith(".ts") && file !== helper && file !== "test/structure.test.ts");
  expect(tests.filter((file) => /\bfc\.(assert|check|sample)\(/.test(textOf(file)))).toEqual([]);
  expect(tests.filter((file) => textOf(file).includes("assertProperty(")).length).toBeGreaterThan(40);
});

describe("Temporal's names of events", () => {
  const names = Object.keys(temporal.api.enums.v1.EventType).map((name) =>
    name.replace("EVENT_TYPE", "").replace(/_([A-Z])([A-Z]*)/g, (_, first, rest) => first + rest.toLowerCase()),
  );
  const NAMED = new RegExp(`\\b(${names.join("|")})\\b|EventAttributes\\b|\\bEVENT_TYPE_`);
  const naming = files.filter((file) => NAMED.test(textOf(file)));

  test("are in the decoder of events, and else only where the server's own messages are read or written", () =>
    expect(naming).toEqual([
      // Writes one event, in which the codecs and the external storage of the client find a heartbeat.
      "src/activities/read-kept-calls.ts",
      "src/core/history/read/decode-events.ts",
      // Read the last events of a page, as the server sends them.
      "src/node/sdk-internals/committed-queries.ts",
      "src/worker/lost-work/release-lost-calls.ts",
    ]));

  test.each(['case "ActivityTaskScheduled":', "last.workflowExecutionFailedEventAttributes", "EVENT_TYPE_TIMER_FIRED"])(
    "%s would be found",
    (line) => expect(line).toMatch(NAMED),
  );
});

test("every text that is shortened is cut between characters: with src/core/base/whole-characters.ts or cutBytes", () => {
  const cuts = [
    /\.slice\(0, ?[^)]*\)\}( ?\.\.\.|…)/,
    /\.slice\(0, [A-Z_]*(CHARS|BYTES)[A-Z_]*( - \d+)?\)/,
    /stringify\([^;]*\)\??\.slice\(0, (\d|[A-Z])/,
    /\b(text|message|reply|body|line|word|title|prompt|note|name|label|content|input|url|summary|answer|query)\.slice\(0, (\d{2,}|[A-Z_]{2,})/,
    /\.(substring|substr)\(/,
  ];
  // Lists of whole characters, names of ASCII characters, a digest, a date, and the part of a text that a regular expression may see.
  const others = [
    "src/core/calls/secret-mask.ts",
    "src/core/graph/show/mermaid.ts",
    "src/core/lisp/builtins/regex.ts",
    "src/node/encoding/storage/stored-documents.ts",
    "src/workflows/start/intent.ts",
    "src/cli/input/arguments.ts",
  ];
  const lines = files
    .filter((file) => !others.includes(file))
    .flatMap((file) =>
      textOf(file)
        .split("\n")
        .flatMap((line) => (cuts.some((cut) => cut.test(line)) ? [`${file}: ${line.trim()}`] : [])),
    );
  expect(lines).toEqual([]);
});
