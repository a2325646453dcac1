import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { copyWorkflows, readDefinitionFolder } from "../../../src/project/catalog";
import { temporaryFolder } from "../../support/environment";

/** Copying from the catalog changes nothing that is somebody's own. */

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder("copy");
});
afterEach(() => folder.remove());

const at = (...names: string[]) => path.join(folder.path, ...names);
const actions = (files: { file: string; action: string }[]) =>
  Object.fromEntries(files.map(({ file, action }) => [path.relative(folder.path, file), action]));

test("a workflow is copied with its files and its agents, and loads from its new folder", () => {
  const { copied, agents, errors } = copyWorkflows(["release"], folder.path);
  expect(errors).toEqual([]);
  expect(copied).toEqual([{ id: "release", name: "Release", files: expect.anything() }]);
  expect(actions(copied[0]?.files ?? [])).toEqual({
    "release/checklist.md": "created",
    "release/workflow.json": "created",
  });
  expect(actions(agents)).toEqual({
    "agents/operator.yaml": "created",
    "agents/tester.yaml": "created",
    "agents/writer.yaml": "created",
  });
  expect(readDefinitionFolder(folder.path)).toMatchObject({
    definitions: [{ id: "release", warnings: [] }],
    errors: [],
  });
});

test("its subflows are copied too, with the name of the workflow that needs them", () => {
  const { copied } = copyWorkflows(["bug-hunt"], folder.path);
  expect(copied.map(({ id, neededBy }) => [id, neededBy])).toEqual([
    ["bug-hunt", undefined],
    ["bug-fix", "bug-hunt"],
  ]);
  expect(readDefinitionFolder(folder.path).definitions.flatMap(({ warnings }) => warnings)).toEqual([]);
});

test("an unknown id is reported, and the others are copied", () => {
  const { copied, errors } = copyWorkflows(["nothing", "refactor", "../escape"], folder.path);
  expect(copied.map(({ id }) => id)).toEqual(["refactor"]);
  expect(errors).toEqual([
    { id: "nothing", code: "workflow_not_found", message: expect.stringContaining("quick-task") },
    { id: "../escape", code: "workflow_not_found", message: expect.any(String) },
  ]);
});

test("a second copy writes nothing", () => {
  copyWorkflows(["quick-task"], folder.path);
  const { copied, agents } = copyWorkflows(["quick-task"], folder.path);
  expect([...(copied[0]?.files ?? []), ...agents].map(({ action }) => action)).toEqual(
    Array.from({ length: 4 }, () => "unchanged"),
  );
});

test("a changed file is kept, and replaced only on request", () => {
  copyWorkflows(["quick-task"], folder.path);
  writeFileSync(at("quick-task.json"), "mine");
  writeFileSync(at("agents", "planner.yaml"), "prompt: mine");
  const kept = copyWorkflows(["quick-task"], folder.path);
  expect(actions([...(kept.copied[0]?.files ?? []), ...kept.agents])).toMatchObject({
    "quick-task.json": "kept",
    "agents/planner.yaml": "kept",
    "agents/tester.yaml": "unchanged",
  });
  expect(readFileSync(at("quick-task.json"), "utf8")).toBe("mine");

  const forced = copyWorkflows(["quick-task"], folder.path, { force: true });
  expect(actions(forced.copied[0]?.files ?? [])).toEqual({ "quick-task.json": "overwritten" });
  expect(readDefinitionFolder(folder.path).errors).toEqual([]);
});

test.each(["bug-fix.yaml", "bug-fix/workflow.json"])(
  "a copy keeps an existing workflow with the id of %s: there are never two",
  (name) => {
    mkdirSync(path.dirname(at(name)), { recursive: true });
    writeFileSync(at(name), "{}");
    expect(actions(copyWorkflows(["bug-fix"], folder.path, { force: true }).copied[0]?.files ?? [])).toEqual({
      [name]: "kept",
    });
    expect(existsSync(at("bug-fix.json"))).toBe(false);
  },
);

test("an agent of the project is kept, in whichever format it is written", () => {
  mkdirSync(at("staff"));
  writeFileSync(at("staff", "planner.json"), "{}");
  const { agents } = copyWorkflows(["quick-task"], folder.path, { agentsFolder: at("staff") });
  expect(actions(agents)).toEqual({
    "staff/developer.yaml": "created",
    "staff/planner.json": "kept",
    "staff/tester.yaml": "created",
  });
});

test("a folder that cannot be written is named", () => {
  writeFileSync(at("taken"), "a file");
  expect(() => copyWorkflows(["refactor"], at("taken"))).toThrow(
    expect.objectContaining({ code: "file_error", exitCode: 2, message: expect.stringContaining("taken") }),
  );
});

test("a file system without folders does not stop the copy", () => {
  // Where there is none, a device serves: neither takes a folder.
  const place = existsSync("/proc/self") ? "/proc/none/deeper" : "/dev/null/deeper";
  expect(() => copyWorkflows(["refactor"], place)).toThrow(
    expect.objectContaining({
      code: "file_error",
      details: expect.objectContaining({ path: "/proc/none/deeper/refactor.json" }),
    }),
  );
});
