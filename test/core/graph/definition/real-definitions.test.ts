import fc from "fast-check";
import { executionPlan } from "../../../../src/core/graph/show/levels";
import { renderDiagram } from "../../../../src/core/graph/show/mermaid";
import { renderWay } from "../../../../src/core/graph/show/text-diagram";
import { advanceTask, newTask, type Task } from "../../../../src/core/graph/task/task";
import { assertProperty } from "../../../support/run/property";
import { agreeOnLevels, agreeOnMoves, beginnings, calls } from "../task/naive/agree";
import type { NaiveFile } from "../task/naive/graph";
import { definitionOf, describeShared, read, sharedDefinitions } from "./shared-data";

const rows = sharedDefinitions.map((one) => [one.file, one] as const);

/** File -> the warnings that it must have (graph reference, section 2). */
const EXPECTED: Record<string, string[]> = {
  "real-workflows/current/batch-process.json": ["uncovered_output analyze_items"],
  "real-workflows/current/odd-even-test.json": ["uncovered_output compute"],
  "real-workflows/history/context-gather@5013b81.json": ["uncovered_output repo_info"],
};

describeShared("published definitions (shared data, skipped when absent)", () => {
  test("all the definitions exist", () => {
    const count = (folder: string) => sharedDefinitions.filter(({ file }) => file.startsWith(folder)).length;
    expect([count("real-workflows/"), count("workflows/")]).toEqual([35, 6]);
  });

  test.each(rows)("%s loads with the expected warnings", (file, one) => {
    const loaded = read(one);
    expect(loaded.ok ? "" : loaded.fail.message).toBe("");
    const warnings = loaded.ok ? loaded.value.warnings : [];
    expect(warnings.map(({ code, nodeId }) => `${code} ${nodeId}`)).toEqual(EXPECTED[file] ?? []);
  });

  test.each(rows)("%s has every node on one level, below the nodes that lead to it", (_, one) => {
    const definition = definitionOf(one);
    const { levels, levelCount, stepCount, backEdges } = executionPlan(definition);
    expect(levels.flat().sort()).toEqual(Object.keys(definition.nodes).sort());
    expect([levelCount, stepCount]).toEqual([levels.length, levels.flat().length]);
    const level = new Map(levels.flatMap((ids, depth) => ids.map((id) => [id, depth] as const)));
    const isBack = new Set(backEdges.map(({ from, to, on }) => JSON.stringify([from, to, on])));
    for (const { from, to, on } of definition.edges)
      if (!isBack.has(JSON.stringify([from, to, on]))) expect(level.get(to)).toBeGreaterThan(level.get(from) as number);
  });

  test.each(rows)("%s is drawn completely", (_, one) => {
    const definition = definitionOf(one);
    const drawn = renderDiagram(definition, "start");
    const lines = drawn.split("\n");
    expect(drawn.match(/ -->/g) ?? []).toHaveLength(definition.edges.length);
    expect(lines.filter((line) => /^ {2}\w+[([{]/.test(line))).toHaveLength(Object.keys(definition.nodes).length);
    expect(drawn).toMatch(/class \w+ current/);
    const work = Object.values(definition.nodes).filter(({ type }) => type === "task" || type === "gate");
    expect(lines.filter((line) => line.startsWith("| "))).toHaveLength(work.length + 2);
    // Nothing of a label can be read as part of the picture.
    for (const [, label] of drawn.matchAll(/\|"(.*)"\|/g)) expect(label).toMatch(/^[^"&<>[\]{}()|]{1,40}$/);
  });

  test.each(rows)("%s reaches an end when every step passes, and the path is shown", (_, one) => {
    const definition = definitionOf(one);
    let task: Task = newTask({ id: "t", issueId: "i", workflowType: definition.id }, definition, 0);
    for (let moves = 0; task.status === "PENDING" || task.status === "IN_PROGRESS"; moves++) {
      const moved = advanceTask(definition, task, { result: "passed" }, moves);
      if (!moved.ok || !moved.answer.success || moves > 100) break;
      task = moved.task;
    }
    // A step that asks for another result than passed stands where it stands.
    const node = definition.nodes[task.currentStep];
    expect(
      node?.type === "end" || definition.edges.every((edge) => edge.from !== task.currentStep || edge.on !== "passed"),
    ).toBe(true);
    expect(renderWay(definition, task).split("\nWay:\n")[1]?.split("\n")).toHaveLength(task.history.length + 1);
  });

  test.each(rows)("%s has the moves and levels of the naive evaluator", (_, one) => {
    const definition = definitionOf(one);
    const file = one.raw as NaiveFile;
    const outputs = Object.values(file.nodes).flatMap((node) => node.outputs ?? []);
    const said = calls(["passed", "passed", "failed", "failed", "odd", ...outputs]);
    assertProperty(
      fc.property(beginnings, fc.array(said, { maxLength: 60 }), (how, results) => {
        agreeOnMoves(definition, file, how, results);
      }),
      { numRuns: 100 },
    );
    assertProperty(
      fc.property(beginnings, (how) => agreeOnLevels(definition, file, how)),
      { numRuns: 20 },
    );
  });
});
