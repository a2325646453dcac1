import { renderTaskDetails } from "../../../src/core/graph/details";
import { renderDiagram, renderMermaid } from "../../../src/core/graph/mermaid";
import { taskProgress } from "../../../src/core/graph/progress";
import { advanceTask, newTask, sendTo, type Task } from "../../../src/core/graph/task";
import { renderWay, stepText } from "../../../src/core/graph/way";
import type { Review } from "../../../src/core/review/review";
import { definition, gate, parsed, reviewed, task } from "./definitions";

const begin = (flow = reviewed): Task => newTask({ id: "t-1", issueId: "I-1", workflowType: flow.id }, flow, 0);

function walked(results: (string | undefined)[], flow = reviewed): Task {
  return results.reduce<Task>((current, result) => {
    const moved = advanceTask(flow, current, result === undefined ? {} : { result }, current.history.length + 1);
    if (!moved.ok) throw new Error(moved.fail.message);
    return moved.task;
  }, begin(flow));
}

describe("the Mermaid flowchart (navigator reference, section 9.6)", () => {
  test("has a shape for each kind of node, retries and agents in it, labels on edges, classes, the current step", () => {
    const flow = definition(
      {
        work: task({ name: "Do it", emoji: "🔧", agent: "developer", maxRetries: 2 }),
        check: gate({ name: "Check" }),
        split: { type: "fork", join: "merge", name: "Split" },
        a: task({ name: "A" }),
        merge: { type: "join", fork: "split" },
        sub: { type: "subflow", workflow: "other", name: "Sub" },
        lost: { type: "end", result: "failure", name: "Lost" },
      },
      [
        ["start", "work"],
        ["work", "check", "passed"],
        ["work", "lost", "failed"],
        ["check", "split", "passed"],
        ["check", "human", "failed"],
        ["split", "a"],
        ["a", "merge"],
        ["merge", "sub"],
        ["sub", "done"],
      ],
    );
    expect(renderMermaid(flow, "check")).toBe(`flowchart TD
  start(("start"))
  done[["done"]]
  human{{"✋ human"}}
  work["Do it<br/>🔧 developer ↻2"]
  check{"Check"}
  split(["Split"])
  a["A"]
  merge(["merge"])
  sub["Sub"]
  lost{{"Lost"}}
  start --> work
  work -->|"passed"| check
  work -->|"failed"| lost
  check -->|"passed"| split
  check -->|"failed"| human
  split --> a
  a --> merge
  merge --> sub
  sub --> done
  classDef start fill:#e8f0fe,stroke:#4472c4,color:#1b2a41
  class start start
  classDef success fill:#e6f4ea,stroke:#34a853,color:#12331c
  class done success
  classDef failure fill:#fce8e6,stroke:#ea4335,color:#4a1410
  class human,lost failure
  classDef gate fill:#fef7e0,stroke:#f9ab00,color:#4a3500
  class check gate
  classDef parallel fill:#f3e8fd,stroke:#a142f4,color:#331052
  class split,merge parallel
  classDef current stroke-width:4px,stroke:#1a73e8
  class check current`);
  });

  test.each([
    ['say "hi" & go', "say 'hi' and go"],
    ["a <b> [c] {d} (e) | f", "a b c d e - f"],
    ["two\n  lines\t", "two lines"],
    ["x".repeat(41), `${"x".repeat(37)}...`],
    ["x".repeat(40), "x".repeat(40)],
    ["🙂".repeat(41), `${"🙂".repeat(37)}...`],
  ])("a name %j is written %j", (name, written) => {
    const flow = definition({ S: task({ name }) }, [
      ["start", "S"],
      ["S", "done"],
    ]);
    expect(renderMermaid(flow)).toContain(`S["${written}"]`);
  });

  test("ids that Mermaid cannot read get names of their own, which collide with none", () => {
    const flow = definition({ "a b": task(), node_1: task(), end: task(), "": null, 日本: task() }, [
      ["start", "a b"],
      ["a b", "node_1"],
      ["node_1", "end"],
      ["end", "日本"],
      ["日本", "done"],
    ]);
    const drawn = renderMermaid(flow);
    const names = [...drawn.matchAll(/^ {2}(\w+)(?:\[|\{|\()/gm)].map((match) => match[1]);
    expect(new Set(names).size).toBe(6);
    expect(names).toContain("node_1");
    expect(names).not.toContain("end");
    expect(drawn.split("\n").filter((line) => line.includes(" --> "))).toHaveLength(5);
  });

  test("a label stands before the result", () => {
    const flow = parsed({
      id: "f",
      nodes: { start: { type: "start" }, S: task(), done: { type: "end", result: "success" } },
      edges: [
        { from: "start", to: "S", label: "go" },
        { from: "S", to: "done", on: "passed", label: "fine" },
      ],
    }).definition;
    expect(renderMermaid(flow)).toContain('start -->|"go"| S\n  S -->|"fine"| done');
  });

  test("the diagram has a table of the work steps, in which no text can break a row", () => {
    const flow = definition(
      {
        S: task({ name: "a|b", stage: "planning", agent: "x\\y", instructions: "one\ntwo" }),
        T: gate({ description: "Look" }),
      },
      [
        ["start", "S"],
        ["S", "T"],
        ["T", "done"],
      ],
    );
    expect(
      renderDiagram(flow)
        .split("\n")
        .filter((line) => line.startsWith("|")),
    ).toEqual([
      "| Stage | Step | Name | Agent | Instructions |",
      "| --- | --- | --- | --- | --- |",
      "| planning | S | a\\|b | x\\\\y | one two |",
      "|  | T | Look at it |  | Look |",
    ]);
  });
});

describe("the way of a task", () => {
  test("shows the graph with the edges taken, and each move in order", () => {
    expect(renderWay(reviewed, walked([undefined, undefined, "failed", undefined, "passed"]))).toBe(`✓ start   ─→ build
✓ build   ─→ review ×2
✓ review  ─ passed → done   ─ failed → build   ┄ max_retries_exceeded → human
◉ done
· human   ┄ passed → build

Way:
   1  start
   2  build
   3  review: failed, retry 1 of 3, back to build
   4  build
   5  review: passed
   6  done: COMPLETED (success)`);
  });

  test.each([
    { results: [], says: "start: PENDING", mark: "▶ start" },
    { results: [undefined, undefined], says: "review: PENDING", mark: "▶ review" },
    {
      results: [undefined, undefined, "failed", undefined, "failed", undefined, "failed", undefined, "failed"],
      says: "human: HITL (blocked)",
      mark: "✋ human",
    },
  ])("after $results ends with $says", ({ results, says, mark }) => {
    const way = renderWay(reviewed, walked(results));
    expect(way.endsWith(says)).toBe(true);
    expect(way).toContain(mark);
  });

  test("numbers retries anew after a gate has passed, and after a person sent the task back", () => {
    const fails = ["failed", undefined];
    const stuck = walked([undefined, undefined, ...fails, ...fails, ...fails, "failed"]);
    const again = sendTo(reviewed, stuck, "review", 99);
    const moved = advanceTask(reviewed, again, { result: "failed" }, 100);
    const way = renderWay(reviewed, moved.ok ? moved.task : again).split("\n");
    expect(way.filter((line) => line.includes("review: failed"))).toEqual([
      "   3  review: failed, retry 1 of 3, back to build",
      "   5  review: failed, retry 2 of 3, back to build",
      "   7  review: failed, retry 3 of 3, back to build",
      "   9  review: failed, 3 retries used up",
      "  11  review: failed, retry 1 of 3, back to build",
    ]);
    expect(way).toContain("  10  human: sent to review by a person");
  });

  test("shows a step tried again in place, though no edge leads there", () => {
    const flow = definition({ S: task({ maxRetries: 2 }) }, [
      ["start", "S"],
      ["S", "done", "passed"],
      ["S", "human", "failed"],
    ]);
    const way = renderWay(flow, walked([undefined, "failed", "failed"], flow));
    expect(way).toContain("▶ S      ─ failed ↻ here ×2   ┄ passed → done   ┄ failed → human");
    expect(way).toContain("   2  S: failed, retry 1 of 2\n   3  S: failed, retry 2 of 2");
  });

  test("can be cut to its last moves", () => {
    const way = renderWay(reviewed, walked([undefined, undefined, "passed"]), 1);
    expect(way.split("Way:\n")[1]).toBe("      ... 2 earlier\n   3  review: passed\n   4  done: COMPLETED (success)");
  });

  test("names steps by id and name", () => {
    expect([stepText(reviewed, "review"), stepText(reviewed, "done")]).toEqual(["review: Look at it", "done"]);
  });
});

describe("progress (navigator reference, section 8)", () => {
  test.each([
    { results: [], level: 0, percent: 0, remaining: 0 },
    { results: [undefined], level: 1, percent: 33, remaining: 0 },
    { results: [undefined, undefined], level: 2, percent: 66, remaining: 3 },
    { results: [undefined, undefined, "failed", undefined], level: 2, percent: 66, remaining: 2 },
    { results: [undefined, undefined, "passed"], level: 3, percent: 100, remaining: 0, terminal: "success" },
  ])("after $results: level $level, $percent %", ({ results, level, percent, remaining, ...more }) => {
    expect(taskProgress(reviewed, walked(results))).toMatchObject({
      level,
      levelCount: 4,
      percent,
      retriesRemaining: remaining,
      ...more,
    });
  });

  test("tells all about the present step", () => {
    const flow = definition({ S: task({ name: "Do", stage: "build", agent: "dev" }) }, [
      ["start", "S"],
      ["S", "done", "passed"],
      ["S", "human", "failed"],
    ]);
    expect(taskProgress(flow, walked([undefined], flow))).toEqual({
      taskId: "t-1",
      workflowType: "test-flow",
      currentStep: "S",
      stepName: "Do",
      stage: "build",
      agent: "dev",
      status: "PENDING",
      level: 1,
      levelCount: 3,
      percent: 50,
      visited: [{ step: "start", result: null, action: "unconditional", at: 1 }],
      retryCount: 0,
      stepRetries: {},
      retriesRemaining: 0,
      nextSteps: [
        { to: "done", on: "passed" },
        { to: "human", on: "failed" },
      ],
    });
  });

  test("of a task at a step that is gone is no failure", () => {
    expect(taskProgress(reviewed, { ...begin(), currentStep: "gone" })).toMatchObject({
      stepName: "gone",
      level: null,
      percent: 0,
      nextSteps: [],
    });
  });
});

describe("details for the Temporal Web UI", () => {
  const review: Review = {
    id: "t-1/review/1",
    source: "gate",
    title: "Look *here*",
    body: `line one\n${"x".repeat(700)}`,
    data: {},
    choices: ["passed", "failed"],
    createdAt: 0,
    status: "open",
    moves: {},
  };

  test("say where the task is, what it waits for and how it came there", () => {
    const text = renderTaskDetails(reviewed, walked([undefined, undefined]), [review]);
    expect(text).toContain("**PENDING** at **review: Look at it** (66 %) · 3 of 3 retries left");
    expect(text).toContain("Ways on: passed → done, failed → build, max\\_retries\\_exceeded → human");
    expect(text).toContain("### Waiting for a person\n\n- **Look \\*here\\*** (t-1/review/1)\n  > line one\n  > xxx");
    expect(text).toContain("x...\n  Choices: passed, failed");
    expect(text).toContain("### Graph\n\n```\n");
  });

  test("show no ways on when the task is over", () => {
    expect(renderTaskDetails(reviewed, walked([undefined, undefined, "passed"]), [])).not.toContain("Ways on");
  });

  test("cannot be broken out of by a name with backticks", () => {
    const flow = definition({ "```": task() }, [
      ["start", "```"],
      ["```", "done"],
    ]);
    expect(renderTaskDetails(flow, begin(flow), [])).toMatch(/### Graph\n\n````\n[\s\S]*\n````$/);
  });
});
