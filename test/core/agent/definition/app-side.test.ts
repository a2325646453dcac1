import type { NavigatorClient } from "../../../../src";
import { FailedStepError, runOrThrow, thenOrThrow } from "../../../../src";
import type { Step } from "../../../../src/core/agent/result/step";
import {
  defaultFormatOptions,
  effectiveTools,
  estimateTokens,
  expandBuiltinTools,
  parseAgent,
  textReturn,
} from "../../../../src/entries/agent";
import { printChain, printTrace } from "../../../../src/entries/trace";
import { agentOf, run } from "../run/mission";

/** What applications ask of agents and Steps (agent reference, section 17). */
const names = (tools: { name: string }[]) => tools.map(({ name }) => name);

test("a run has its own tools, and the requested builtin tools that it does not replace", () => {
  const agent = agentOf({ tools: { grep: "() -> :int" }, builtin_tools: ["grep", "ask", "other"], llm_query: true });
  expect(names(effectiveTools(agent))).toEqual(["grep", "grep-n", "ask-person", "llm-query"]);
  expect(names(expandBuiltinTools(["ask", "grep", "other"]))).toEqual(["grep", "grep-n", "ask-person"]);
});

test.each([
  [undefined, true],
  ["(q :string) -> :string", true],
  ["(q :string) -> {n :int}", false],
  [":int", false],
])("an agent with the signature %s returns text: %s", (signature, text) =>
  expect(textReturn(agentOf(signature === undefined ? {} : { signature }))).toBe(text),
);

test("the default format options are those of an agent without any", () => {
  const parsed = parseAgent({ prompt: "Do it." });
  expect(parsed).toMatchObject({ ok: true, value: { format_options: defaultFormatOptions() } });
  expect(defaultFormatOptions().feedback_max_chars).toBe(512);
});

test.each([
  ["", 0],
  ["abc", 0],
  ["abcdefgh", 2],
])("%j is %i tokens", (text, tokens) => expect(estimateTokens(text)).toBe(tokens));

const TWO_TURNS = {
  agent: { name: "finder", max_turns: 3 },
  says: ['(println "looking") (def x (tool/find {:q 1})) x', "(tool/nothing)", "(return (+ x 1))"],
  tools: { find: 4 },
  collect_messages: true,
};

function printed(show: (write: (text: string) => void) => void): string {
  let text = "";
  show((more) => {
    text += more;
  });
  return text;
}

describe("a Step, printed", () => {
  let step: Step;
  beforeAll(async () => {
    step = (await run(TWO_TURNS)).step;
  });
  const show = (options = {}) => printed((write) => printTrace(step, { ...options, write }));

  test("turn by turn: program, calls, prints, result, and the reason of a failure", () => {
    const text = show();
    expect(text).toMatch(/^finder: 3 turns\n\nTurn 1\n {2}\(println "looking"\)/);
    expect(text).toContain(
      '\n  - find {"q":1} => 4\n  | looking\n  => 4\n\nTurn 2, failed\n  (tool/nothing)\n  => {"reason":',
    );
    expect(text).toMatch(/\n\nTurn 3, must_return\n.*\n {2}=> 5\n\nReturned 5$/);
    expect(text).not.toContain("```");
  });

  test("raw: the whole replies", () => expect(show({ raw: true })).toContain("  ```clojure\n  (tool/nothing)\n  ```"));

  test("compressed: the result of the turns, without errors of turns before a success", () => {
    const text = show({ view: "compressed" });
    expect(text).toContain("<mission>\nDo it.\n</mission>");
    expect(text).toContain(";; === user/ ===\nx: 4");
    expect(text).toContain(';; Tool calls made:\n;   (tool/find {"q" 1})');
    expect(text).toContain(";; Output:\nlooking");
    expect(text).not.toContain("Turn 1");
    expect(text).not.toContain("nothing");
  });

  test("messages and the system prompt appear only on request", () => {
    expect(show()).not.toMatch(/\[(user|system)\]/);
    expect(show({ messages: true })).toMatch(/\[user\]\n[\s\S]*\[assistant\]\n/);
    expect(show({ messages: true })).not.toContain("[system]");
    expect(show({ system: true })).toMatch(/\[system\]\n {2}\S/);
  });

  test("usage", () => expect(show({ usage: true })).toMatch(/\n\nUsage\n {2}duration_ms +\d+\n[\s\S]* {2}turns +3\n/));

  test("a Step without turns says so", async () => {
    const { step: bare } = await run({ ...TWO_TURNS, trace: false });
    expect(printed((write) => printTrace(bare, { write }))).toBe(
      "finder: 3 turns\n\n(its turns were not kept)\n\nReturned 5",
    );
  });

  test("a chain shows each Step with its result", async () => {
    const { step: failing } = await run({
      agent: { name: "next" },
      says: ['(fail {:reason :no_luck :message "none"})'],
    });
    expect(printed((write) => printChain([step, failing], { write }))).toBe(
      "1. finder: 3 turns\n  Returned 5\n2. next: 1 turn\n  Failed [no_luck] none",
    );
  });
});

test("a long value is cut, with its length", async () => {
  const { step } = await run({ says: ['(return (apply str (map (fn [_] "x") (range 1000))))'] });
  const text = printed((write) => printTrace(step, { write }));
  expect(text).toContain(`Returned "${"x".repeat(499)}... (1002 characters)`);
});

describe("or throw", () => {
  const client = (step: Step) =>
    ({ startAgent: async () => ({ result: async () => step }) }) as unknown as NavigatorClient;
  const options = { agent: agentOf({}), context: {}, model: "scripted" };

  test("a returned run gives its Step; a failed run is thrown with its Step", async () => {
    const { step } = await run({ says: ["(return {:total 1})"] });
    expect(await runOrThrow(client(step), options)).toBe(step);
    const { step: failing } = await run({ says: ["(fail {:reason :no_luck})"] });
    const thrown = await runOrThrow(client(failing), options).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(FailedStepError);
    expect(thrown).toMatchObject({ code: "no_luck", exitCode: 1, step: failing });
  });

  test("a chain continues with the inputs it needs, or throws the missing ones or the failure", async () => {
    const { step } = await run({ says: ["(return {:total 1})"] });
    expect(thenOrThrow(step, agentOf({ signature: "(total :int) -> :string" }))).toMatchObject({
      context: { total: 1 },
    });
    const next = agentOf({ signature: "(name :string) -> :string" });
    expect(() => thenOrThrow(step, next)).toThrow(
      expect.objectContaining({ code: "chain_error", details: { missing: ["name"] } }),
    );
    const { step: failing } = await run({ says: ["(fail {:reason :no_luck})"] });
    expect(() => thenOrThrow(failing, next)).toThrow(expect.objectContaining({ code: "no_luck" }));
  });
});
