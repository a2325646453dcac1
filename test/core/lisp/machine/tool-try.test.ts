import type { Failure, Result } from "../../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../../src/core/base/json";
import { ended, evaluate } from "../run";

/** A tool's failure as a value: `(tool-try (tool/x {...}))`. */

const failing = (fail: Partial<Failure>) => (): Result<Json> => ({
  ok: false,
  fail: { reason: "tool_error", message: "no stock", ...fail } as Failure,
});
const tools = { buy: {}, look: { cache: true } };
const setting = (answers: (name: string, args: JsonObject) => Result<Json>, more = {}) => ({ tools, answers, ...more });
const answered = setting((_, args) => ({ ok: true, value: args.n ?? null }));

test.each([
  ["(tool-try (tool/buy {:n 5}))", "{:ok 5}"],
  ["(tool-try (tool/buy))", "{:ok nil}"],
  ["(tool-try (tool/buy :n [1 2]))", "{:ok [1 2]}"],
  ["(-> {:n 1} (tool/buy) tool-try :ok)", "1"],
  ["[(tool-try (tool/look {:n 1})) (tool-try (tool/look {:n 1})) (tool/look {:n 1})]", "[{:ok 1} {:ok 1} 1]"],
])("%s gives the answer under :ok", (source, value) => expect(evaluate(source, answered).text).toBe(value));

test("a failure is a map that says what failed and why", () => {
  const details = { code: "out_of_stock", retryable: true };
  expect(evaluate("(:error (tool-try (tool/buy {})))", setting(failing({ details }))).text).toBe(
    '{:code "out_of_stock" :message "no stock" :reason "tool_error" :retryable? true :tool "buy"}',
  );
  const { text } = evaluate("(:error (tool-try (tool/buy {})))", setting(failing({})));
  expect(text).toMatch(/:code "tool_error".*:retryable\? false/);
});

test("the program goes on, and the call is recorded as failed", () => {
  const { outcome, tool_calls } = ended(
    "(let [r (tool-try (tool/buy {}))] (if (:error r) (:message (:error r)) :bought))",
    setting(failing({})),
  );
  expect(outcome).toEqual({ kind: "value", value: "no stock" });
  expect(tool_calls).toMatchObject([{ name: "buy", error: "no stock", result: null }]);
});

test.each(["tool_not_found", "mission_timeout", "timeout", "budget_exhausted"] as const)(
  "a failure with reason %s is not the tool's own, and ends the program",
  (reason) => expect(ended("(tool-try (tool/buy {}))", setting(failing({ reason }))).outcome.kind).toBe("error"),
);

test.each([
  ["(tool-try 1)", "invalid_form"],
  ["(tool-try)", "invalid_arity"],
  ["(tool-try (inc 1))", "invalid_form"],
  ["(tool-try (tool/buy {}) (tool/buy {}))", "invalid_arity"],
  ["(tool-try (tool/none {}))", "unknown_tool"],
  ["(tool-try (tool/buy 1))", "invalid_tool_args"],
  ["(tool-try (tool/buy {:n (inc nil)}))", "type_error"],
])("%s is refused", (source, code) => expect(evaluate(source, answered).text).toBe(`!! ${code}`));

test("a task records what its body gives, a caught failure too, and does not run again", () => {
  const journal = new Map<string, Json>();
  const source = '(task "buy" (tool-try (tool/buy {})))';
  const details = { code: "unknown_outcome" };
  ended(source, setting(failing({ details }), { journal }));
  expect(journal.get("buy")).toMatchObject({ error: { code: "unknown_outcome", "retryable?": false } });
  const again = ended(
    source,
    setting((_, args) => ({ ok: true, value: args }), { journal }),
  );
  expect(again.tool_calls).toEqual([]);
});

test("in branches a caught failure fails no branch", () => {
  const { text } = evaluate(
    "(pmap #(if (:error (tool-try (tool/buy {:n %}))) :none %) [1 2 3])",
    setting((_, { n }) => (n === 2 ? failing({})() : { ok: true, value: n as Json })),
  );
  expect(text).toBe("[1 :none 3]");
});

test("caught failures are metered", () => {
  const message = "x".repeat(10_000);
  const source = "(loop [n 0 all []] (if (= n 500) (count all) (recur (inc n) (conj all (tool-try (tool/buy {}))))))";
  const { outcome } = ended(source, setting(failing({ message }), { limits: { max_bytes: 1_000_000 } }));
  expect(outcome).toMatchObject({ kind: "error", fail: { reason: "memory_exceeded" } });
});
