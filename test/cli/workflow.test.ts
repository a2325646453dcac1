import { existsSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type Commands, openPlace, type Place } from "../support/cli";

/** Definitions from the command line, without any server. */

let place: Place;
/** Most commands, in this process. */
let here: Commands;
beforeEach(async () => {
  place = await openPlace("workflow", { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  here = place.here();
});
afterEach(() => place.close());

const at = (...names: string[]) => path.join(place.folder, ...names);
const GRAPH = {
  nodes: { start: { type: "start" }, work: { type: "task", name: "Work" }, done: { type: "end", result: "success" } },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done", on: "passed" },
    { from: "work", to: "work", on: "failed" },
  ],
};

test("the catalog is listed", async () => {
  const { workflows } = await here.json(["workflow", "catalog"]);
  expect(workflows).toHaveLength(10);
  expect(workflows[0]).toEqual({
    id: "bug-fix",
    name: "Bug fix",
    description: expect.any(String),
    stepCount: 12,
    agents: ["investigator", "developer", "tester", "reviewer"],
  });
  expect((await here.run(["workflow", "catalog"])).stdout).toMatch(/^bug-fix +12 +From a report/);
});

test("navigator workflow check prints the maximum cost of a task, with the project's agents and prices", async () => {
  await here.json(["workflow", "init", "quick-task"]);
  const prices = { "acme/one": { input: 1, output: 10 } };
  place.write("navigator.config.json", { definitions: "workflows", agents: "workflows/agents", prices });
  const check = ["workflow", "check", "workflows", "--model", "acme/one"];
  const [file] = (await here.json(check)).files;
  expect(file.worst).toMatchObject({ runs: { clarify: 1, change: 3, check: 3 }, agent_runs: 7, uncounted: [] });
  const dollars = file.worst.model_calls * (0.02 + 0.04096);
  expect(file.worst.cost).toBeCloseTo(dollars, 6);
  expect((await here.run(check)).stdout).toContain(
    `  at most 7 agent runs, ${file.worst.model_calls} model calls for a task\n  cost at most: $${dollars.toFixed(2)}, with`,
  );
  expect((await here.run(check.slice(0, 3))).stdout).toContain(
    "cost at most: unknown: a model or its price is not known",
  );
});

describe("navigator workflow init", () => {
  test("copies, reports what it did with each file, and names the next commands", async () => {
    const end = await here.run(["workflow", "init", "quick-task"]);
    expect(end.code).toBe(0);
    expect(end.stdout).toBe(
      [
        "created  workflows/quick-task.json        Quick task",
        "created  workflows/agents/developer.yaml  agent",
        "created  workflows/agents/planner.yaml    agent",
        "created  workflows/agents/tester.yaml     agent",
        "",
        "Next:",
        '  navigator.config.json must contain {"definitions":"workflows","agents":"workflows/agents"}',
        "  navigator workflow check workflows",
        "  navigator workflow load workflows",
        '  navigator task start workflows/quick-task.json --id my-1 --context \'{"request": "..."}\'',
        "",
      ].join("\n"),
    );
    expect(await here.run(["workflow", "check", "workflows"])).toMatchObject({ code: 0 });
  });

  test("keeps changed files unless --force is given", async () => {
    place.write("workflows/quick-task.json", "mine");
    const kept = await here.run(["workflow", "init", "quick-task"]);
    expect(kept).toMatchObject({ code: 0, stdout: expect.stringContaining("Changed files were kept; --force") });
    expect(readFileSync(at("workflows/quick-task.json"), "utf8")).toBe("mine");
    const { copied } = await here.json(["workflow", "init", "quick-task", "--force"]);
    expect(copied[0].files).toEqual([{ file: at("workflows/quick-task.json"), action: "overwritten" }]);
  });

  test("copies into the project's own folders, and then reports no missing setting", async () => {
    mkdirSync(at("graphs"));
    mkdirSync(at("staff"));
    place.write("navigator.config.json", { definitions: "graphs", agents: "staff" });
    const answer = await here.json(["workflow", "init", "--all"]);
    expect(answer).toMatchObject({ folder: at("graphs"), agentsFolder: at("staff"), errors: [] });
    expect(answer.next.join("\n")).not.toContain("must say");
    expect(existsSync(at("staff/operator.yaml"))).toBe(true);
    expect((await here.json(["workflow", "check", "graphs"])).files).toHaveLength(10);
  });

  test("reports an unknown id with exit code 2, and copies the others", async () => {
    const { errors, copied } = await here.json(["workflow", "init", "nothing", "refactor"], { code: 2 });
    expect(errors).toMatchObject([{ id: "nothing", code: "workflow_not_found" }]);
    expect(copied).toMatchObject([{ id: "refactor" }]);
    const end = await here.run(["workflow", "init", "nothing"]);
    expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining("It has: bug-fix, ") });
  });

  test("asks for ids if none is given", async () =>
    expect(await here.refused(["workflow", "init"])).toMatchObject({
      code: "bad_usage",
      hint: expect.stringContaining("quick-task"),
    }));
});

describe("navigator workflow check", () => {
  test("reports a file that nests too deep as one mistake, and checks the files beside it", async () => {
    const deep = (levels: number) => `{"nodes": ${"[".repeat(levels)}${"]".repeat(levels)}, "edges": []}`;
    mkdirSync(at("graphs"));
    place.write("graphs/good.json", GRAPH);
    place.write("graphs/deep.json", deep(2_000));
    place.write("graphs/deeper.json", deep(200_000));
    place.write("graphs/lists.yaml", `nodes: ${"- ".repeat(200_000)}x`);
    const { files } = await here.json(["workflow", "check", "graphs"], { code: 2 });
    const tooDeep = (code: string) => [{ code, message: expect.stringContaining("nested more than 200 levels deep") }];
    expect(files).toMatchObject([
      { file: "graphs/deep.json", ok: false, errors: tooDeep("invalid_input") },
      { file: "graphs/deeper.json", ok: false, errors: tooDeep("invalid_input") },
      { file: "graphs/good.json", ok: true, errors: [] },
      { file: "graphs/lists.yaml", ok: false, errors: tooDeep("invalid_input") },
    ]);
  });

  test("names every mistake with its line and code, exit code 2", async () => {
    place.write("bad.json", '{\n"nodes": {\n"go": {"type": "task"}\n},\n"edges": [\n{"from": "go", "to": "x"}]}');
    place.write("good.json", GRAPH);
    const { ok, files } = await here.json(["workflow", "check", "bad.json", "good.json", "none.json"], { code: 2 });
    expect(ok).toBe(false);
    expect(files).toMatchObject([
      {
        file: "bad.json",
        id: null,
        ok: false,
        errors: expect.arrayContaining([
          expect.objectContaining({ code: "name_required", nodeId: "go", line: 3 }),
          expect.objectContaining({ code: "unknown_target", edgeIndex: 0, line: 6 }),
        ]),
      },
      {
        file: "good.json",
        id: "good",
        ok: true,
        errors: [],
        warnings: [{ code: "unbounded_loop", line: expect.any(Number) }],
      },
      { file: "none.json", ok: false, errors: [{ code: "not_found", details: { path: "none.json", kind: "file" } }] },
    ]);
    const end = await place.run(["workflow", "check", "bad.json", "good.json"]);
    expect(end.stdout).toMatch(/\n {2}line 3: Node "go": name must be/);
    expect(end.stdout).toMatch(/\nok good\.json {2}good, 3 nodes\n {2}line \d+: warning unbounded_loop: /);
  });

  test("warnings are not mistakes, and standard input counts as a file", async () => {
    const { files } = await here.json(["workflow", "check", "-"], { input: JSON.stringify({ id: "x", ...GRAPH }) });
    expect(files).toMatchObject([{ file: "-", id: "x", ok: true, warnings: [{ code: "unbounded_loop" }] }]);
  });

  test("subflows are looked up among the given files and beside them", async () => {
    const calls = {
      nodes: { start: { type: "start" }, sub: { type: "subflow", workflow: "other" }, done: GRAPH.nodes.done },
      edges: [
        { from: "start", to: "sub" },
        { from: "sub", to: "done" },
      ],
    };
    place.write("a/calls.json", calls);
    const warnings = async (...files: string[]) =>
      (await here.json(["workflow", "check", ...files])).files[0].warnings.map(({ code }: { code: string }) => code);
    expect(await warnings("a/calls.json")).toEqual(["subflow_not_loaded"]);
    place.write("b/other.json", GRAPH);
    expect(await warnings("a/calls.json", "b/other.json")).toEqual([]);
    place.write("a/other/workflow.json", GRAPH);
    expect(await warnings("a/calls.json")).toEqual([]);
  });
});

test("levels of a file", async () => {
  place.write("good.json", GRAPH);
  expect(await here.json(["workflow", "levels", "good.json"])).toEqual({
    workflowId: "good",
    levels: [["start"], ["work"], ["done"]],
    levelCount: 3,
    stepCount: 3,
    backEdges: [{ from: "work", to: "work", on: "failed", kind: "retry" }],
  });
  const end = await here.run(["workflow", "levels", "good.json"]);
  expect(end.stdout).toBe("0  start\n1  work\n2  done\n\nEdges that go back\nwork -> work  failed  retry\n");
});

test("a diagram of a file is Markdown, with a step marked", async () => {
  place.write("good.yaml", JSON.stringify(GRAPH));
  const end = await here.run(["workflow", "diagram", "good.yaml", "--step", "work"]);
  expect(end.stdout).toMatch(/^```mermaid\nflowchart TD\n {2}start\(\("start"\)\)\n/);
  expect(end.stdout).toMatch(/\n {2}class work current\n```\n\n\| Stage \| Step \|/);
  expect(await here.json(["workflow", "diagram", "good.yaml"])).toMatchObject({
    workflowId: "good",
    currentStep: null,
    mermaid: expect.stringMatching(/^flowchart TD\n/),
    markdown: expect.stringContaining("| work | Work |"),
  });
});

test.each([
  { args: ["diagram", "good.json", "--step", "nowhere"], code: "step_not_found", says: "start, work, done" },
  { args: ["levels", "none.json"], code: "not_found", says: "none.json" },
  { args: ["levels", "broken.json"], code: "invalid_input", says: "broken.json:1:2" },
  { args: ["check"], code: "bad_usage", says: "files" },
])("$args is refused as $code", async ({ args, code, says }) => {
  place.write("good.json", GRAPH);
  place.write("broken.json", "{,}");
  const error = await here.refused(["workflow", ...args]);
  expect(error.code).toBe(code);
  expect(`${error.message} ${error.hint}`).toContain(says);
});
