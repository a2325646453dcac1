import { executionPlan } from "../../../src/core/graph/levels";
import { renderDiagram } from "../../../src/core/graph/mermaid";
import { advanceTask, newTask, type Task } from "../../../src/core/graph/task";
import { renderWay } from "../../../src/core/graph/way";
import { definitionOf, describeShared, read, sharedDefinitions } from "./shared-data";

const rows = sharedDefinitions.map((one) => [one.file, one] as const);

/** File -> warnings that the reference expects (navigator reference, section 2). */
const EXPECTED: Record<string, string[]> = {
  "real-workflows/current/batch-process.json": ["uncovered_output analyze_items"],
  "real-workflows/current/odd-even-test.json": ["uncovered_output compute"],
  "real-workflows/history/context-gather@5013b81.json": ["uncovered_output repo_info"],
};

describeShared("published definitions (shared data, skipped when absent)", () => {
  test("are all there", () => {
    const count = (folder: string) => sharedDefinitions.filter(({ file }) => file.startsWith(folder)).length;
    expect([count("real-workflows/"), count("workflows/")]).toEqual([35, 6]);
  });

  test.each(rows)("%s loads with the warnings that are due", (file, one) => {
    const loaded = read(one);
    expect(loaded.ok ? "" : loaded.fail.message).toBe("");
    const warnings = loaded.ok ? loaded.value.warnings : [];
    expect(warnings.map(({ code, nodeId }) => `${code} ${nodeId}`)).toEqual(EXPECTED[file] ?? []);
  });

  test.each(rows)("%s has every node on one level, below those that lead to it", (_, one) => {
    const definition = definitionOf(one);
    const { levels, levelCount, stepCount, backEdges } = executionPlan(definition);
    expect(levels.flat().sort()).toEqual(Object.keys(definition.nodes).sort());
    expect([levelCount, stepCount]).toEqual([levels.length, levels.flat().length]);
    const level = new Map(levels.flatMap((ids, depth) => ids.map((id) => [id, depth] as const)));
    const isBack = new Set(backEdges.map(({ from, to, on }) => JSON.stringify([from, to, on])));
    for (const { from, to, on } of definition.edges)
      if (!isBack.has(JSON.stringify([from, to, on]))) expect(level.get(to)).toBeGreaterThan(level.get(from) as number);
  });

  test.each(rows)("%s is drawn whole", (_, one) => {
    const definition = definitionOf(one);
    const drawn = renderDiagram(definition, "start");
    expect(drawn.match(/ -->/g) ?? []).toHaveLength(definition.edges.length);
    expect(drawn).toMatch(/class \w+ current/);
  });

  test.each(rows)("%s is walked to an end by passing every step, and the way is told", (_, one) => {
    const definition = definitionOf(one);
    let task: Task = newTask({ id: "t", issueId: "i", workflowType: definition.id }, definition, 0);
    for (let moves = 0; task.status === "PENDING" && moves < 100; moves++) {
      const moved = advanceTask(definition, task, { result: "passed" }, moves);
      if (!moved.ok || !moved.answer.success) break;
      task = moved.task;
    }
    // A step that asks for another result than passed stands where it stands.
    const node = definition.nodes[task.currentStep];
    expect(
      node?.type === "end" || definition.edges.every((edge) => edge.from !== task.currentStep || edge.on !== "passed"),
    ).toBe(true);
    expect(renderWay(definition, task).split("\nWay:\n")[1]?.split("\n")).toHaveLength(task.history.length + 1);
  });
});
