import { renderDiagram } from "../../../src/core/graph/show/mermaid";
import { reviewLines } from "../../../src/core/review/lines";
import { codeBlock, codeSpan, listLines, quotation, textInMarkdown } from "../../../src/core/review/markdown";
import type { Review } from "../../../src/core/review/review";
import { agentDetails } from "../../../src/workflows/agent/agent-details";
import { effectLines } from "../../../src/workflows/effect-lines";
import { definition, task } from "../graph/definition/definitions";

/** Texts of models and people in the Markdown pages of the Temporal Web UI. */

const EVIL = "ok\r\n\r\n### Reviews\n- [approve] [pay](http://evil.example) <b>by anna</b> `x`";

/** Lines that begin a heading or a list, and markup that nothing escapes. */
const headings = (page: string) => page.split(/\r\n?|\n/).filter((line) => /^\s*#/.test(line));
const MARKUP = /(?<!\\)[\]<]/;

test("a text is one line without markup", () => {
  expect(textInMarkdown(EVIL)).not.toMatch(/[\r\n]/);
  expect(textInMarkdown(EVIL)).not.toMatch(MARKUP);
  expect(textInMarkdown("Refund 5 EUR (order 7)")).toBe("Refund 5 EUR (order 7)");
  expect(textInMarkdown("tool charge_card, __b__")).toBe("tool charge_card, \\_\\_b\\_\\_");
});

test.each([
  ["a", "`a`"],
  ["a`b", "``a`b``"],
  ["`a``", "``` `a`` ```"],
  ["a\n# b", "`a # b`"],
])("%j as code in a line is %s", (text, code) => expect(codeSpan(text)).toBe(code));

test("no line of a quotation or a block leaves it", () => {
  expect(quotation("a\rb\n\n# c", "  ")).toBe("  > a\n  > b\n  > \n  > # c");
  expect(codeBlock("```\n# a")).toBe("````\n```\n# a\n````");
});

test("the marks of a list stay, and what stands in it is text", () => {
  expect(listLines("## Log\n- [done] a: [1](x)\n- [ ] b\n## Forged", ["## Log"])).toBe(
    "## Log\n- [done] a: \\[1\\](x)\n- [ ] b\n\\#\\# Forged",
  );
});

const review = {
  id: "r`1",
  title: EVIL,
  body: "",
  choices: ["approve"],
  status: "decided",
  decision: { choice: EVIL, by: EVIL, note: EVIL, at: 0 },
} as unknown as Review;

test("a review's title, choice, note and names forge no other review", () => {
  const page = reviewLines([review, { ...review, status: "open" } as Review]);
  expect(headings(page)).toEqual(["### Reviews"]);
  expect(page.split("\n")).toHaveLength(3);
});

test("a failure, a record and a checklist forge no section of a run's page", () => {
  const base = { turn: 1, invocation: 1, refused_signals: 0, open_reviews: 0 };
  const page = agentDetails({
    status: { ...base, state: "failed" } as never,
    step: { return: null, fail: { reason: "x", message: EVIL } } as never,
    log: "## Mission Log (Completed Tasks)\n- [done] a: <img src=x> [b](c)",
    progress: "## Progress\n- [ ] one\n### Reviews\n- [x] two",
    effects: "",
    reviews: [],
    budget: undefined,
  });
  expect(headings(page)).toEqual(["## Mission Log (Completed Tasks)", "## Progress"]);
  expect(page).toContain("- [done] a: \\<img src=x\\> \\[b\\](c)");
});

test("the lines of effects count, and name what a person should know of, unknown ones first", () => {
  const ordinary = {
    key: "agent/x~id~1",
    id: "id",
    tool: "pay",
    effect: "write" as const,
    state: "done" as const,
    lane: "",
    n: 1,
    at: 1,
    turn: 1,
    call: 1,
    identity: ["invoice"],
    args: { invoice: "A", memo: "free text" },
  };
  expect(effectLines([])).toBe("");
  expect(effectLines([ordinary])).toBe("### Effects\n1 effect: 1 done");
  const page = effectLines([
    ordinary,
    { ...ordinary, key: "k2", at: 2, reused: 2 },
    { ...ordinary, key: "k3", at: 3, state: "refused", by: EVIL, message: EVIL },
    { ...ordinary, key: "k4", at: 0, state: "unknown" },
  ]);
  expect(headings(page)).toEqual(["### Effects"]);
  expect(page.split("\n")).toEqual([
    "### Effects",
    "4 effects: 2 done, 1 refused, 1 unknown",
    '- [unknown] pay `{"invoice":"A"}`, its answer was lost (`k4`)',
    expect.stringMatching(/^- \[refused\] pay .*, by ok .* \(`k3`\)$/),
    '- [done] pay `{"invoice":"A"}`, not done again, its answer was given 2 times more (`k2`)',
  ]);
});

test("a page names at most 20 effects", () => {
  const lost = { key: "k", id: "id", tool: "pay", effect: "write", state: "unknown", lane: "", n: 1, at: 0, turn: 1 };
  const lines = effectLines(Array.from({ length: 22 }, () => lost as never)).split("\n");
  expect(lines).toHaveLength(23);
  expect(lines.at(-1)).toBe("- ... and 2 more");
});

test("a cell of a graph's table is no link and no HTML", () => {
  const page = renderDiagram(
    definition({ build: task({ name: "[a](http://evil.example) <h2>b</h2>\n# c" }) }, [
      ["start", "build"],
      ["build", "done"],
    ]),
  );
  expect(page).toContain("| [a\\](http://evil.example) \\<h2>b\\</h2> # c |");
});
