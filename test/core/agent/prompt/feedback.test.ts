import { turnLine } from "../../../../src/core/agent/prompt/feedback";
import { agentOf, run } from "../run/mission";

/** What the model is told (agent reference, sections 9.1 and 9.2). */
const last = (heard: string[]) => heard.at(-1) as string;

describe("the line with the state of the run", () => {
  const WARN = "⚠️ FINAL WORK TURN: tools are stripped, you must call (return ...) or (fail ...).";
  test.each([
    { max: 5, retries: 0, next: 2, work: 4, retry: 0, line: "Turn 2 of 5 (4 remaining)" },
    {
      max: 5,
      retries: 0,
      next: 4,
      work: 2,
      retry: 0,
      line: "Turn 4 of 5 (2 remaining). The turn after it is the last: prepare the return.",
    },
    { max: 5, retries: 0, next: 5, work: 1, retry: 0, line: WARN },
    { max: 5, retries: 2, next: 2, work: 4, retry: 2, line: "Turn 2 (4 work turns + 2 retry turns remaining)" },
    { max: 5, retries: 2, next: 4, work: 2, retry: 2, line: "Turn 4 (2 work turns + 2 retry turns remaining)" },
    {
      max: 5,
      retries: 2,
      next: 5,
      work: 1,
      retry: 2,
      line: `${WARN} If the returned value does not fit, 2 correction(s) follow.`,
    },
    { max: 5, retries: 3, next: 6, work: 0, retry: 3, line: "Turn 6: Retry 1 of 3 (3 retries remaining)" },
    { max: 5, retries: 3, next: 7, work: 0, retry: 2, line: "Turn 7: Retry 2 of 3 (2 retries remaining)" },
    {
      max: 5,
      retries: 3,
      next: 8,
      work: 0,
      retry: 1,
      line: "⚠️ FINAL RETRY (Retry 3 of 3): you must call (return ...) or (fail ...) now.",
    },
    { max: 1, retries: 2, next: 2, work: 0, retry: 2, line: "Turn 2: Retry 1 of 2 (2 retries remaining)" },
    { max: 1, retries: 0, next: 2, work: 0, retry: 0, line: "" },
    { max: 5, retries: 0, next: 6, work: 0, retry: 0, line: "" },
  ])("max_turns $max, retry_turns $retries, before turn $next: $line", ({ max, retries, line, ...left }) => {
    expect(turnLine(agentOf({ max_turns: max, retry_turns: retries }), left)).toBe(line);
  });

  test("types, tool names and lines follow each other through a whole run", async () => {
    const { step, host, heard } = await run({
      agent: { signature: ":int", max_turns: 3, retry_turns: 2 },
      tools: { a: 1 },
      says: ["(do nil)", "(do nil)", '(return "x")', '(return "y")', "(return 1)"],
    });
    expect(step.turns?.map(({ type }) => type)).toEqual(["normal", "normal", "must_return", "retry", "retry"]);
    expect(host.sent.map(({ tool_names }) => tool_names)).toEqual([["a"], ["a"], [], [], []]);
    expect(heard.slice(1).map((message) => /Turn 2 \(|FINAL WORK|Retry 1 of 2|FINAL RETRY/.exec(message)?.[0])).toEqual(
      ["Turn 2 (", "FINAL WORK", "Retry 1 of 2", "FINAL RETRY"],
    );
  });

  test("tools that are hidden on the last turn still run when the program calls them", async () => {
    const { step } = await run({ agent: { max_turns: 1 }, tools: { a: 7 }, says: ["(return (tool/a))"] });
    expect(step.return).toBe(7);
  });

  test("a failing return on a normal turn costs a work turn, not a retry", async () => {
    const { step } = await run({
      agent: { signature: ":int", max_turns: 2, retry_turns: 1 },
      says: ['(return "x")', "(return (get (budget/remaining) :retry-turns))"],
    });
    expect(step.return).toBe(1);
  });
});

describe("after a turn that worked", () => {
  test("the model gets the output, the stored names and the state of the run, never the value", async () => {
    const { heard } = await run({
      says: ['(do (def a 1) (defn f [x] x) (println "one") (println {:n 2}) "SECRET VALUE")', "(return 1)"],
    });
    expect(last(heard)).toBe("one\n{:n 2}\n\nStored (access as symbols): a, f\n\nTurn 2 of 5 (4 remaining)");
  });

  test("a name that is defined twice is listed once", async () => {
    const { heard } = await run({ says: ["(do (def a 1) (def a 2))", "(return 1)"] });
    expect(last(heard)).toContain("symbols): a\n");
  });

  test.each([
    { chars: 512, cut: false },
    { chars: 513, cut: true },
  ])("$chars printed characters: cut is $cut", async ({ chars, cut }) => {
    const { heard, step } = await run({
      says: [`(println (join "" (map (fn [_] "x") (range ${chars}))))`, "(return 1)"],
    });
    expect(last(heard).startsWith(`${"x".repeat(512)}\n`)).toBe(true);
    expect(last(heard).includes("(truncated, use println selectively)")).toBe(cut);
    expect(step.turns?.[0]?.feedback_truncated).toBe(cut ? true : undefined);
    expect(step.trace?.[0]?.feedback_truncated).toBe(cut);
  });

  test("hidden fields are not printed", async () => {
    const { heard } = await run({ says: ["(println {:a 1 :_secret 2})", "(return 1)"] });
    expect(last(heard)).toContain("{:a 1}\n");
  });
});

describe("after a turn that failed", () => {
  test("a program error is reported once with its line, without the checklist", async () => {
    const { heard } = await run({
      agent: { plan: ["Look"] },
      says: ['(do (println "lost?") (+ 1 nil))', "(return 1)"],
    });
    expect(last(heard)).toMatch(/^Error: (?!Error)[^\n]+\n\nTurn 2 of 5 \(4 remaining\)$/);
  });

  test("a return that does not fit shows what was expected and received, every mismatch with its path, and the request", async () => {
    const { heard } = await run({
      agent: { signature: "{items [{id :int}], total :float}" },
      says: ['(return {:items [{:id 1} {:id "b"}]})', "(fail 1)"],
    });
    expect(last(heard)).toBe(
      [
        "Return type validation failed.",
        "Expected: {items [{id :int}], total :float}",
        'Received: {"items" [{"id" 1} {"id" "b"}]}',
        "- [items[1].id]: expected int, got string",
        "- [total]: expected field, got nil",
        "Call (return ...) again with a value that fits.",
        "",
        "Turn 2 of 5 (4 remaining)",
      ].join("\n"),
    );
  });

  test("the received value is cut at 200 characters, and the root is called root", async () => {
    const { heard } = await run({
      agent: { signature: ":int" },
      says: [`(return "${"x".repeat(300)}")`, "(return 1)"],
    });
    expect(last(heard)).toContain(`Received: "${"x".repeat(199)}...\n- [root]: expected int, got string`);
  });

  test.each([
    { says: "I am done.", about: "no program" },
    { says: "```clojure\n(a)\n```\n```clojure\n(b)\n```", about: "2 code blocks" },
  ])("$about: the message asks for one block", async ({ says, about }) => {
    const { heard } = await run({ says: [says, "(return 1)"] });
    expect(last(heard)).toContain(about);
    expect(last(heard)).toMatch(/^Error: .*exactly one ```clojure block/);
  });
});

describe("the conversation", () => {
  test("keeps only the code of a reply; the Turn keeps the whole reply", async () => {
    const reply = "Let me think.\n```clojure\n(do 1)\n```\nDone.";
    const { step, host } = await run({ says: [reply, "(return 1)"] });
    expect(host.sent[1]?.messages[1]).toEqual({ role: "assistant", content: "```clojure\n(do 1)\n```" });
    expect(step.turns?.[0]).toMatchObject({ raw_response: reply, program: "(do 1)" });
  });

  test("only grows, by two messages per turn", async () => {
    const { host } = await run({ says: ["(do 1)", "oops", "(+ 1 nil)", "(return 1)"] });
    expect(host.sent.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7]);
    for (const [i, { messages }] of host.sent.entries())
      expect(host.sent[i + 1]?.messages.slice(0, messages.length) ?? messages).toEqual(messages);
  });
});

test("(budget/remaining) counts turns, depth, tokens and requests", async () => {
  const { step } = await run({
    agent: { max_turns: 3, retry_turns: 2, max_depth: 4, turn_budget: 9 },
    depth: 1,
    says: [
      { content: "(do 1)", tokens: { input: 5, output: 2, cache_read: 3 } },
      { content: "(return (budget/remaining))", tokens: { input: 7, output: 1 } },
    ],
  });
  expect(step.return).toEqual({
    turns: 8,
    work_turns: 2,
    retry_turns: 2,
    depth: { current: 2, max: 4 },
    tokens: { input: 12, output: 3, total: 15, cache_creation: 0, cache_read: 3 },
    llm_requests: 2,
  });
});
