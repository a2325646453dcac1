import { readFileSync } from "node:fs";
import path from "node:path";
import { type Commands, openPlace, type Place, program } from "../support/cli";
import { openCollector, outline, spansIn } from "../support/servers/collector";

/** `navigator trace`: a real agent with a nested agent and tools, looked at while no worker is up. */
let place: Place;
/** Most commands, in this process. */
let here: Commands;
beforeAll(async () => {
  place = await openPlace("trace");
  here = place.here();
  writeProject();
  const { id } = await here.json(["run", "buyer", "--id", "whole", "--context", '{"limit": 10}']);
  expect(id).toBe("whole");
});
afterAll(() => place.close());

const trace = (...args: string[]) => here.json(["trace", "whole", ...args]);
const titles = (nodes: Node[]): unknown[] =>
  nodes.map(({ kind, name, status, children }) =>
    children.length === 0 ? [kind, name, status] : [kind, name, status, titles(children)],
  );
interface Node {
  kind: string;
  name: string;
  status: string;
  children: Node[];
}

test("summary and tree show every turn, model call, tool and parallel section, with nested agents below their calls", async () => {
  const { summary, tree } = await trace();
  expect(summary).toMatchObject({ runs: 2, turns: 3, llm_calls: 3, tool_calls: 5, open: 0 });
  // The tool that failed, and the turn that it ended.
  expect(summary.failed).toBe(2);
  const llm = ["llm", "scripted", "ok"];
  expect(titles(tree)).toEqual([
    [
      "run",
      "buyer",
      "ok",
      [
        ["turn", "turn 1", "failed", [llm, ["tool", "stock", "ok"], ["tool", "broken", "failed"]]],
        [
          "turn",
          "turn 2",
          "ok",
          [
            llm,
            [
              "pmap",
              "pmap",
              "ok",
              [
                ["tool", "price", "ok"],
                ["tool", "price", "ok"],
              ],
            ],
            ["tool", "adviser", "ok", [["run", "adviser", "ok", [["turn", "turn 1", "ok", [llm]]]]]],
          ],
        ],
      ],
    ],
  ]);
});

test("--otlp gives the tree to a collector as spans; to send it again gives the same ids, and a file has the same", async () => {
  const collector = await openCollector();
  try {
    const sent = await trace("--otlp", collector.url);
    expect(sent).toMatchObject({ spans: collector.spans.length, open: 0, sent_to: `${collector.url}/v1/traces` });
    const first = collector.spans.splice(0);
    const [llm, tool] = ["chat scripted", (name: string) => `execute_tool ${name}`];
    const adviser = ["invoke_agent adviser", [["turn 1", [llm]]]];
    const second = [llm, tool("price"), tool("price"), adviser];
    expect(outline(first)).toEqual([
      [
        "invoke_agent buyer",
        [
          ["turn 1", [llm, tool("stock"), tool("broken")]],
          ["turn 2", second],
        ],
      ],
    ]);
    expect([...new Set(first.map(({ traceId }) => traceId))]).toEqual(sent.trace_ids);
    expect(first.find(({ name }) => name === tool("broken"))).toMatchObject({
      attributes: { "error.type": "tool_error" },
      status: { code: 2 },
    });
    await trace("--otlp", `${collector.url}/v1/traces`);
    expect(collector.spans).toEqual(first);
    const { file } = await trace("--otlp", "spans.json");
    expect(spansIn(JSON.parse(readFileSync(path.join(place.folder, file), "utf8")))).toEqual(first);
    // Refusals name the place and the reason.
    const refused = (...args: string[]) => here.refused(["trace", "whole", ...args], { code: 3 });
    collector.answer = { status: 403, body: '{"message":"no key"}' };
    expect(await refused("--otlp", collector.url)).toMatchObject({
      code: "service_unavailable",
      message: expect.stringMatching(/v1\/traces did not take the spans: it answered 403: .*no key/),
    });
    collector.answer = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}' };
    expect((await refused("--otlp", collector.url)).message).toMatch("rejected 2 spans");
  } finally {
    await collector.close();
  }
  expect((await here.refused(["trace", "whole", "--otlp", collector.url], { code: 3 })).message).toMatch(
    "ECONNREFUSED",
  );
  expect(await here.refused(["trace", "whole", "--otlp"])).toMatchObject({ code: "bad_usage" });
  expect(await here.refused(["trace", "whole", "--otlp", "x.json", "--tree"])).toMatchObject({ code: "bad_usage" });
});

test("the text for people shows the same tree", async () => {
  const { stdout } = await here.run(["trace", "whole"]);
  expect(stdout).toMatch(/^Duration +\S.*\nRuns +2\nTurns +3\n/);
  expect(stdout).toMatch(
    /\nrun buyer +.*\n {2}turn 1 .*failed\n {4}llm scripted .*\n {4}tool stock.*\n {4}tool broken .*failed\n/,
  );
  expect(stdout).toMatch(/\n {4}tool adviser .*\n {6}run adviser .*\n {8}turn 1 /);
});

test("an exported trace shows the same without a server", async () => {
  const file = path.join(place.folder, "whole.jsonl");
  expect(await trace("--export", file)).toMatchObject({ runs: 2 });
  const offline = { env: { TEMPORAL_ADDRESS: "127.0.0.1:1" } };
  const views = ["--summary", "--tree", "--timeline", "--slowest", "3"];
  expect(await here.json(["trace", "--from-log", file, ...views], offline)).toEqual(await trace(...views));
  const printed = await here.run(["trace", "whole", "--export", "-"]);
  expect(printed.stdout).toBe(readFileSync(file, "utf8"));
  const piped = await place.json(["trace", "--from-log", "-", "--summary"], { ...offline, input: printed.stdout });
  expect(piped).toEqual(await trace("--summary"));
});

test("its lines link the nested run with its call, and contain prompts, replies and results", async () => {
  const { stdout } = await here.run(["trace", "whole", "--export", "-"]);
  const lines = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const headers = lines.filter(({ event }) => event === "trace.start");
  const [own, nested] = headers;
  expect(nested.metadata).toMatchObject({ parent_trace_id: own.trace_id, depth: 1, tool_name: "adviser" });
  const call = lines.find(({ event, metadata }) => event === "tool.stop" && metadata.tool_name === "adviser");
  expect(call.metadata).toMatchObject({ child_trace_id: nested.trace_id, result: "buy" });
  const ids = new Set(lines.map(({ span_id }) => span_id).filter(Boolean));
  expect([...ids].every((id) => /^[0-9a-f]{8}$/.test(id))).toBe(true);
  const read = lines.find(({ event, metadata }) => event === "tool.start" && metadata.tool_name === "stock");
  expect(read.metadata.args).toEqual({ id: 7 });
  const prompts = lines.filter(({ metadata }) => metadata.system_prompt !== undefined);
  expect(prompts.map(({ event, metadata }) => [event, metadata.turn])).toEqual([
    ["llm.start", 1],
    ["llm.start", 1],
  ]);
  expect(lines.filter(({ event }) => event === "trace.stop")).toHaveLength(2);
});

test("a file that cannot be written is named", async () => {
  const file = path.join(place.folder, "not", "there.jsonl");
  const refused = await here.refused(["trace", "whole", "--export", file]);
  expect(refused).toMatchObject({ code: "file_error", message: expect.stringContaining(file) });
});

test("filters: by type, by duration, the slowest", async () => {
  const { timeline } = await trace("--type", "tool");
  expect(timeline.map(({ name }: Node) => name).sort()).toEqual(["adviser", "broken", "price", "price", "stock"]);
  const { slowest } = await trace("--slowest", "4", "--type", "tool");
  const took = slowest.map(({ duration_ms }: { duration_ms: number }) => duration_ms);
  expect(took).toEqual(took.toSorted((a: number, b: number) => b - a));
  expect(slowest.map(({ event }: { event: string }) => event)).toEqual(Array(4).fill("tool.stop"));
  expect(await trace("--min-duration", "99999999", "--timeline")).toEqual({ timeline: [], fail: null, warnings: [] });
  const { stdout } = await here.run(["trace", "whole", "--min-duration", "99999999"]);
  expect(stdout).toBe("There is nothing of that kind.\n");
});

test("a waiting run can be traced, too: open spans are marked, and its id is there from the start", async () => {
  await here.run(["run", "waiter", "--id", "waits"]);
  const { summary, tree } = await here.json(["trace", "waits"]);
  expect(summary).toMatchObject({ turns: 1, open: 1 });
  const turn = ["turn", "turn 1", "ok", [["llm", "scripted", "ok"]]];
  expect(titles(tree)).toEqual([["run", "waiter", "open", [turn]]]);
  const worker = await place.worker();
  try {
    await here.json(["journal", "set", "waits", "answer", "1", "--by", "anna"]);
    const { step } = await here.json(["run", "waiter", "--id", "waits"]);
    const [before, after] = [tree, (await here.json(["trace", "waits"])).tree];
    expect(after[0].trace_id).toBe(step.trace_id);
    expect(before[0]).toMatchObject({ trace_id: step.trace_id, span_id: after[0].span_id });
    expect(titles(after)).toEqual([["run", "waiter", "ok", [turn, turn]]]);
  } finally {
    await worker.stop();
  }
});

test.each([
  { args: ["trace"], code: "bad_usage", details: { path: "ID" } },
  { args: ["trace", "nobody"], code: "not_found" },
  { args: ["trace", "whole", "--type", "lunch"], code: "bad_usage", details: { path: "--type" } },
  { args: ["trace", "whole", "--slowest", "0"], code: "bad_usage", details: { path: "--slowest" } },
  { args: ["trace", "whole", "--export", "-", "--tree"], code: "bad_usage" },
  { args: ["trace", "whole", "--from-log", "-"], code: "bad_usage" },
])("navigator $args is refused as $code", async ({ args, code }) =>
  expect(await here.refused(args)).toMatchObject({ code }),
);

test("a file that is not a trace is refused with the line and the mistake", async () => {
  const file = place.write("broken.jsonl", '{"event":"trace.start"}\n');
  expect(await here.refused(["trace", "--from-log", file])).toMatchObject({
    code: "invalid_input",
    details: { line: 1, fault: "trace_id must be a non-empty text" },
  });
});

function writeProject(): void {
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
     module.exports = {
       agents: "./agents",
       script: "./script.json",
       tools: [
         defineTool({ name: "stock", signature: "(id :int) -> :int", effect: "read", run: () => 3 }),
         defineTool({ name: "price", signature: "(id :int) -> :float", run: ({ id }) => id * 1.5 }),
         defineTool({ name: "broken", run: () => { throw new Error("out of paper"); } }),
       ],
     };`,
  );
  place.write(
    "agents/buyer.yaml",
    `prompt: Buy what is worth it.
tools:
  - stock
  - price
  - broken
  - name: adviser
    agent: { name: adviser, prompt: "Is {{price}} a good price?", description: Knows prices, signature: "(price :float) -> :string" }
`,
  );
  place.write("agents/waiter.yaml", "prompt: Wait.\n");
  place.write("script.json", {
    buyer: [
      program("(println (tool/stock {:id 7})) (tool/broken {})"),
      program(
        "(def prices (pmap #(tool/price {:id %}) [1 2])) (return {:advice (tool/adviser {:price (first prices)})})",
      ),
    ],
    adviser: [program('(return "buy")')],
    waiter: [
      { if_contains: "[done] answer", content: program("(return {:status :done})") },
      { if_missing: "[done] answer", content: program('(task "begun" 1) (return {:status :waiting})') },
    ],
  });
}
