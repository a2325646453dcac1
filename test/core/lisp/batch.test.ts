import { Command } from "commander";
import { lispCommands } from "../../../src/cli/commands/lisp";
import { addCommand } from "../../../src/cli/terminal/command";
import { createIo } from "../../../src/cli/terminal/io";
import { answerText, runBatchLine } from "../../../src/simulate/lisp-batch";
import { makeStub } from "../../../src/simulate/tool-stubs";

const answer = (input: object) => JSON.parse(answerText(runBatchLine(JSON.stringify(input), () => 0)));

const memoryOf = (program: string) => answer({ id: 0, program }).memory;

test.each([
  [
    "a value",
    { program: "{:a [:b #{1} 1.5 ##NaN]}" },
    { ok: { a: [{ $kw: "b" }, { $set: [1] }, 1.5, { $float: "nan" }] } },
  ],
  [
    "sets and odd maps, sorted",
    { program: "[(set [3 1 2]) (group-by odd? [1 2])]" },
    {
      ok: [
        { $set: [1, 2, 3] },
        {
          $map: [
            [false, [2]],
            [true, [1]],
          ],
        },
      ],
    },
  ],
  ["data by name", { program: "(:x data/o)", context: { o: { x: 3 } } }, { ok: 3 }],
  ["memory, old and new", { program: "(def b (inc a)) b", memory: { a: 1 } }, { ok: 2, memory: { a: 1, b: 2 } }],
  [
    "a function kept in memory",
    { program: "(f 2)", memory: { f: { $fn: "(fn [x] (* x x))", captured: {}, name: "f" } } },
    { ok: 4 },
  ],
  [
    "functions built at run time, kept in memory",
    {
      program: "[(g nil) (h {:x 1}) (w {:x 1})]",
      memory: memoryOf("(def g (fnil inc 1)) (def h (juxt :x)) (def w (where :x > 0))"),
    },
    { ok: [2, [1], true] },
  ],
  ["memory untouched by a failure", { program: "(def b 1) (inc nil)", memory: { a: 1 } }, { memory: { a: 1 } }],
  [
    "prints before a failure",
    { program: '(println "p")\n(inc nil)' },
    { prints: ["p"], fail: { reason: "eval_error", line: 2 } },
  ],
  ["its place and code", { program: "(count 1)" }, { fail: { line: 1, column: 1, details: { code: "type_error" } } }],
  [
    "a deliberate failure",
    { program: '(fail {:reason :r :message "m"})' },
    { fail: { reason: "failed", message: "m", value: { reason: { $kw: "r" } } } },
  ],
  ["an echoing tool", { program: "(tool/t {:a-b 1})", tools: { t: { kind: "echo" } } }, { ok: { a_b: 1 } }],
  [
    "a failing tool",
    { program: "(tool/t)", tools: { t: { kind: "error", message: "down" } } },
    { fail: { reason: "tool_error" } },
  ],
  [
    "a journal, read and written",
    { program: '(+ (task "a" (fail 1)) (task "b" 2))', journal: { a: 40 } },
    { ok: 42, journal: { a: 40, b: 2 } },
  ],
  ["a result that fits its signature", { program: "{:n 1}", signature: "{n :int}" }, { ok: { n: 1 } }],
  ["one that does not", { program: "{:n 1}", signature: "{n :string}" }, { fail: { reason: "validation_error" } }],
  ["an unreadable signature", { program: "1", signature: "{n" }, { fail: { reason: "parse_error" } }],
  ["a function as result", { program: "(fn [x] x)" }, { ok: { $text: "#fn[x]" } }],
  [
    "unknown stubs",
    { program: "1", tools: { t: { kind: "nope" } } },
    { fail: { reason: "invalid_input", details: { path: "tools.t.kind" } } },
  ],
])("a batch answers %s", (_, input, expected) => {
  expect(answer({ id: "c", ...input })).toMatchObject({ id: "c", ...expected });
});

test("a case may contain its expected answer, or a note", () => {
  expect(answer({ id: "c", program: "(+ 1 2)", expect: { ok: 3 }, note: "a sum" })).toMatchObject({ ok: 3 });
});

test("a tool that a remembered function lacks fails only its own case", () => {
  const memory = memoryOf("(defn f [] (println 1))");
  memory.f.$fn = "(fn [] (tool/gone {}))";
  expect(answer({ id: "c", program: "(f)", memory })).toMatchObject({ fail: { details: { code: "unknown_tool" } } });
});

test("a line that is not JSON gives a failed answer with the id that can be found in it", () => {
  expect(runBatchLine('{"id": "x7", oops', () => 0)).toMatchObject({
    id: "x7",
    fail: { reason: "invalid_input", details: { path: "line" } },
  });
  expect(runBatchLine("oops", () => 0)).toMatchObject({
    id: null,
    fail: { reason: "invalid_input", details: { path: "line" } },
  });
});

test("large integers keep their digits in the text of an answer", () => {
  expect(
    answerText(
      runBatchLine(
        '{"id":1,"program":"[(* 99999999999 99999999999) \\"{\\\\\\"$int\\\\\\":\\\\\\"1\\\\\\"}\\"]"}',
        () => 0,
      ),
    ),
  ).toContain('"ok":[9999999999800000000001,"{\\"$int\\":\\"1\\"}"]');
});

test("a sequence answers call by call and fails past its end", () => {
  const stub = makeStub("next", { kind: "sequence", values: [1, null] });
  expect([stub({}), stub({}), stub({})]).toMatchObject([
    { value: 1 },
    { value: null },
    { ok: false, fail: { reason: "tool_error" } },
  ]);
});

async function cli(...args: string[]): Promise<{ out: string; err: string; code: number }> {
  const written = { out: "", err: "" };
  const into = (stream: "out" | "err") => ({
    write: (text: string) => {
      written[stream] += text;
    },
  });
  const io = createIo({ stdout: into("out"), stderr: into("err") }, { NO_COLOR: "1" });
  const program = new Command("navigator").exitOverride();
  addCommand(program, io, { name: "lisp", about: "", ...lispCommands.lisp });
  io.json = args.includes("--json");
  process.exitCode = 0;
  await program.parseAsync(["lisp", ...args.filter((arg) => arg !== "--json")], { from: "user" });
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { ...written, code };
}

test("lisp -e prints the value; a failure goes to stderr with exit code 1", async () => {
  expect(await cli("-e", '(println "p") (+ 1 2)')).toEqual({ out: "p\n3\n", err: "", code: 0 });
  expect(await cli("-e", "(+ 1")).toMatchObject({
    out: "",
    code: 1,
    err: expect.stringMatching(/^parse_error: .*\n1 \| \(\+ 1/),
  });
  expect(JSON.parse((await cli("--json", "-e", "[:a]")).out)).toMatchObject({ ok: [{ $kw: "a" }], prints: [] });
});
