import { renderDiagram, renderMermaid } from "../../../../src/core/graph/show/mermaid";
import { definition, gate, parsed, task } from "../definition/definitions";

describe("the Mermaid flowchart (graph reference, section 9.6)", () => {
  test("has a shape for each node type, retries and agents in it, labels on edges, classes, and the current step", () => {
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

  test("marks edges that undo", () => {
    const { definition: flow } = parsed({
      id: "trip",
      nodes: { start: { type: "start" }, a: task(), b: task(), done: { type: "end", result: "success" } },
      edges: [
        { from: "start", to: "a" },
        { from: "a", to: "b", on: "passed", on_failure: "undo" },
        { from: "a", to: "b", on: "failed", label: "again", on_failure: "undo" },
        { from: "b", to: "done" },
      ],
    });
    expect(renderMermaid(flow)).toContain('  a -->|"passed ↩"| b\n  a -->|"again ↩"| b\n  b --> done\n');
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

  test("ids that Mermaid cannot read get unique replacement names", () => {
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

  test("a label comes before the result", () => {
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

  test("the diagram has a table of the work steps, whose rows no text can break", () => {
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
