import { missionsText } from "../../../../src/cli/show/render-missions";
import { endText } from "../../../../src/cli/show/render-trace";
import { createColors } from "../../../../src/cli/terminal/render";
import type { MissionTree } from "../../../../src/client/mission-tree";
import { withoutHidden } from "../../../../src/core/agent/prompt/hidden-values";
import { projectJournal } from "../../../../src/core/history/read/project";
import { traceEnd } from "../../../../src/core/history/trace/analyse";
import { missionLogs } from "../../../../src/core/history/trace/mission-logs";
import { storyOf } from "../../../../src/core/history/trace/story";
import { readRecorded } from "../../../support/recorded";

/** What a run did, turn by turn, from its recorded history alone. */
const plain = createColors(false, {});

function treeOf(name: string): MissionTree {
  const history = readRecorded(`${name}.json`);
  return { workflow_id: "agent/a", projection: projectJournal(history), story: storyOf([history]), children: [] };
}

test("a turn shows its program, its calls with arguments and errors, and what the model was told", () => {
  const { story } = treeOf("agent-failed-tool");
  expect(story).toMatchObject({
    turns: [
      {
        number: 1,
        program: "(return (tool/print_label {:order 42}))",
        calls: [{ name: "print_label", args: { order: 42 }, error: expect.stringContaining("out of paper") }],
        error: expect.stringContaining("out of paper"),
      },
    ],
    end: { state: "failed", fail: { reason: "max_turns_exceeded" } },
  });
  const text = missionsText(treeOf("agent-failed-tool"), false, plain);
  expect(text).toMatch(/\nTurn 1 {2}.*\n {2}\(return \(tool\/print_label \{:order 42\}\)\)\n {2}called print_label /);
  expect(text.split("\n").at(-1)).toMatch(/^agent\/a failed: max_turns_exceeded: /);
});

test("a call whose arguments do not fit is told with its error, in every turn", () => {
  const calls = treeOf("agent-tool-arguments-checked").story?.turns.flatMap((turn) => turn.calls) ?? [];
  const refused = calls.filter(({ args }) => JSON.stringify(args) === '{"order_id":"abc"}');
  expect(refused).toEqual([expect.objectContaining({ error: expect.stringContaining("order_id") })]);
});

test("the turn that follows says what the model was told about the one before", () => {
  const { story } = treeOf("agent-failed-max-turns");
  expect(story?.turns.map(({ told }) => told === undefined)).toEqual([false, true]);
});

test.each([
  ["agent-failed-by-program", "failed: no_stock: None is left."],
  ["plan-failed", "failed: "],
  ["agent-failed-model", "failed: llm_error: "],
])("the log of %s ends with its error", (name, says) => {
  const text = missionsText(treeOf(name), false, plain);
  expect(text.split("\n").at(-1)).toContain(says);
});

test("log and trace show the note about a missing journal", () => {
  expect(missionsText(treeOf("no-journal"), false, plain)).toContain("Note: ");
  const mission = { workflow_id: "agent/a", runs: [readRecorded("no-journal.json")], children: [] };
  const end = traceEnd(missionLogs(mission).flatMap(({ lines }) => lines));
  expect(end.warnings.map(({ code }) => code)).toEqual(["missing_journal"]);
  expect(endText(end, plain)[0]).toContain("Note: ");
});

test("the trace of a failed run ends with its error", () => {
  const mission = { workflow_id: "agent/a", runs: [readRecorded("agent-failed-by-program.json")], children: [] };
  const end = traceEnd(missionLogs(mission).flatMap(({ lines }) => lines));
  expect(endText(end, plain).join("")).toBe("failed: no_stock: None is left.");
});

test("a field whose name begins with _ is hidden at every depth", () =>
  expect(withoutHidden({ a: [{ _token: "x", b: 1 }], _c: 2 })).toEqual({
    a: [{ _token: "[Hidden]", b: 1 }],
    _c: "[Hidden]",
  }));
