import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { readDefinitionFolder } from "../../../src/project/catalog";
import { temporaryFolder } from "../../support/environment";

/** A project's folder of definitions: what is good is read, what is not is told, nothing outside is touched. */

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("definitions");
});
afterEach(() => folder.remove());

function write(name: string, content: unknown): string {
  const file = path.join(folder.path, "graphs", name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}
const read = (ids?: string[]) => readDefinitionFolder(path.join(folder.path, "graphs"), ids);

const graph = (work: object = {}) => ({
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work", ...work },
    done: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "done" },
  ],
});
const YAML = `
nodes:
  start: { type: start }
  done: { type: end, result: success }
edges:
  - { from: start, to: done }
`;

test("JSON files, YAML files and folders with a workflow are listed under their names, ordered by id", () => {
  write("zebra.json", graph());
  write("cat.yaml", YAML);
  write("ant/workflow.json", { id: "ant", ...graph() });
  write("bee/workflow.yml", YAML);
  write("agents/planner.yaml", "prompt: Plan.");
  write("notes.md", "# Nothing");
  write("navigator.config.json", {});
  const { definitions, errors } = read();
  expect(errors).toEqual([]);
  expect(definitions.map(({ id, file }) => [id, path.relative(folder.path, file)])).toEqual([
    ["ant", "graphs/ant/workflow.json"],
    ["bee", "graphs/bee/workflow.yml"],
    ["cat", "graphs/cat.yaml"],
    ["zebra", "graphs/zebra.json"],
  ]);
});

test("a broken file is reported with its line, and the others are read", () => {
  const broken = write("broken.json", '{\n  "nodes": {,}\n}');
  const wrong = write("wrong.json", JSON.stringify({ ...graph({ maxRetries: -1 }) }, null, 1));
  write("good.json", graph());
  const { definitions, errors } = read();
  expect(definitions.map(({ id }) => id)).toEqual(["good"]);
  expect(errors).toEqual([
    {
      id: "broken",
      file: broken,
      code: "invalid_input",
      message: expect.stringContaining("broken.json:2:13"),
      details: { path: `${broken}:2:13` },
    },
    {
      id: "wrong",
      file: wrong,
      code: "invalid_workflow",
      message: expect.stringMatching(/wrong\.json:6:3: Node "work": maxRetries must be/),
      details: {
        path: wrong,
        issues: [expect.objectContaining({ code: "invalid_max_retries", nodeId: "work", line: 6, column: 3 })],
        warnings: [],
      },
    },
  ]);
});

test("requested definitions keep the requested order; missing ones are reported", () => {
  write("one.json", graph());
  write("two.json", graph());
  write("three.json", "nonsense");
  const { definitions, errors } = read(["two", "none", "one", "../one", "/etc/passwd"]);
  expect(definitions.map(({ id }) => id)).toEqual(["two", "one"]);
  expect(errors.map(({ id, code }) => [id, code])).toEqual([
    ["none", "workflow_not_found"],
    ["../one", "invalid_id"],
    ["/etc/passwd", "invalid_id"],
  ]);
  expect(errors[0]?.message).toContain("one, three, two");
});

test("a definition whose id differs from its file name is refused", () => {
  write("one.json", { id: "two", ...graph() });
  expect(read().errors).toMatchObject([{ id: "one", code: "id_mismatch", details: { issues: [{ line: 1 }] } }]);
});

test("of a file and a folder with one id the file wins, and the other is reported", () => {
  write("one/workflow.json", graph());
  write("one.json", graph());
  write("one.yaml", YAML);
  const { definitions, errors } = read();
  expect(definitions.map(({ file }) => path.basename(file))).toEqual(["one.json"]);
  expect(errors.map(({ code, file }) => [code, path.basename(file ?? "")])).toEqual([
    ["already_exists", "one.yaml"],
    ["already_exists", "workflow.json"],
  ]);
});

test("symbolic links are followed only inside the folder", () => {
  const outside = path.join(folder.path, "secret.json");
  mkdirSync(path.join(folder.path, "elsewhere"));
  writeFileSync(outside, JSON.stringify(graph()));
  writeFileSync(path.join(folder.path, "elsewhere", "workflow.json"), JSON.stringify(graph()));
  const there = write("real.json", graph());
  symlinkSync(there, path.join(folder.path, "graphs", "alias.json"));
  symlinkSync(outside, path.join(folder.path, "graphs", "leak.json"));
  symlinkSync(path.join(folder.path, "elsewhere"), path.join(folder.path, "graphs", "folder"));
  symlinkSync(path.join(folder.path, "nowhere"), path.join(folder.path, "graphs", "lost.json"));
  const { definitions, errors } = read();
  expect(definitions.map(({ id }) => id)).toEqual(["alias", "real"]);
  expect(errors.map(({ id, code }) => [id, code])).toEqual([
    ["folder", "invalid_input"],
    ["leak", "invalid_input"],
    ["lost", "not_found"],
  ]);
});

test.each(["../secret.md", "/etc/passwd", "./a/../../b.md", "C:\\secret", "..\\secret"])(
  "a step that would read %s is refused",
  (name) => {
    write("one.json", graph({ context_files: ["README.md", name] }));
    expect(read().errors).toMatchObject([
      { code: "invalid_input", details: { issues: [{ nodeId: "work", code: "invalid_path" }] } },
    ]);
  },
);

test("subflows are looked up in the whole folder, whichever definitions are requested", () => {
  const calling = (workflow: string) => ({
    nodes: {
      start: { type: "start" },
      sub: { type: "subflow", workflow },
      done: { type: "end", result: "success" },
    },
    edges: [
      { from: "start", to: "sub" },
      { from: "sub", to: "done" },
    ],
  });
  write("a.json", calling("b"));
  write("b.json", calling("c"));
  write("round.json", calling("about"));
  write("about.json", calling("round"));
  expect(read(["a"])).toMatchObject({ definitions: [{ warnings: [] }], errors: [] });
  expect(read(["b"])).toMatchObject({ definitions: [{ warnings: [{ code: "subflow_not_loaded", line: 1 }] }] });
  expect(read(["round"]).errors).toMatchObject([
    { code: "invalid_workflow", details: { issues: [{ code: "subflow_cycle" }] } },
  ]);
});

test("a missing folder is an error with a code", () =>
  expect(() => readDefinitionFolder(path.join(folder.path, "none"))).toThrow(
    expect.objectContaining({
      code: "not_found",
      details: expect.objectContaining({ path: path.join(folder.path, "none"), kind: "file" }),
      exitCode: 2,
    }),
  ));
