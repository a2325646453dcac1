import type { MissionHistories } from "../../../../src/core/history/trace/read-mission";
import { lastFailedCall } from "../../../../src/core/history/why/last-failed-call";
import { readRecorded } from "../../../support/recorded";
import { historyOf, payloads, started } from "../../journal/history";

/** The last call that failed in a mission and the runs below it, from their histories alone. */

const run = (workflow_id: string, file: string, children: MissionHistories[] = []): MissionHistories => ({
  workflow_id,
  runs: [readRecorded(file)],
  children,
});
const failing = (id: string) => run(id, "agent-failed-tool.json");
const quiet = (id: string) => run(id, "agent-grep.json");

/** A task that runs still, or has ended as its program says. */
const task = (workflow_id: string, children: MissionHistories[], isOver = true): MissionHistories => ({
  workflow_id,
  runs: [
    historyOf([
      started({}, 0, "navigatorTask"),
      ...(isOver ? [["WorkflowExecutionCompleted", { result: payloads({}) }, 10] as never] : []),
    ]),
  ],
  children,
});

/** The same run, with everything in it this much later. */
const later = (mission: MissionHistories, ms: number): MissionHistories => ({
  ...mission,
  runs: JSON.parse(JSON.stringify(mission.runs), (key, value) =>
    key === "eventTime" ? new Date(timeOf(value) + ms).toISOString() : value,
  ) as unknown[],
});
const timeOf = (value: string | { seconds: string; nanos?: number }): number =>
  typeof value === "string" ? Date.parse(value) : Number(value.seconds) * 1000;

const HOUR = 3_600_000;

test.each<[string, MissionHistories, string[], object | null]>([
  ["no call failed", quiet("agent/a"), [], null],
  ["a call that waited for a worker with its tool", run("agent/a", "agent-blocked-tool.json"), [], null],
  ["in the run itself", failing("agent/a"), [], { workflow_id: "agent/a", turn: 1, invocation: 1 }],
  [
    "in the child run of a task, with the id of the task",
    task("task/t", [failing("task/t/ship/1")]),
    [],
    { workflow_id: "task/t/ship/1", task_id: "t" },
  ],
  [
    "in a project, the id of the nearest task",
    task("shop:task/t", [task("shop:task/t/ship", [failing("shop:task/t/ship/pack/1")])]),
    [],
    { workflow_id: "shop:task/t/ship/pack/1", task_id: "t/ship" },
  ],
  [
    "of a task that still runs",
    task("task/t", [failing("task/t/ship/1")], false),
    [],
    { workflow_id: "task/t/ship/1" },
  ],
  [
    "the later one of two",
    task("task/t", [later(failing("task/t/ship/1"), HOUR), failing("task/t/ship/2")]),
    [],
    { workflow_id: "task/t/ship/1" },
  ],
  [
    "the one where the work ended stands before a later one",
    task("task/t", [failing("task/t/a/1"), later(failing("task/t/b/1"), HOUR)]),
    ["task/t/a/1"],
    { workflow_id: "task/t/a/1" },
  ],
  [
    "where the work ended no call failed",
    task("task/t", [failing("task/t/a/1"), quiet("task/t/b/1")]),
    ["task/t/b/1"],
    { workflow_id: "task/t/a/1" },
  ],
])("%s", (_, mission, from, expected) => {
  const found = lastFailedCall(mission, from);
  if (expected === null) expect(found).toBeNull();
  else expect(found).toMatchObject({ tool: "print_label", args: '{"order":42}', ...expected });
});

test("the message is one line, and says why", () => {
  const { message } = lastFailedCall(failing("agent/a")) ?? {};
  expect(message).toContain("out of paper");
  expect(message).not.toContain("\n");
});
