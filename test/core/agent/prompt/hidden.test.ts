import { ok } from "../../../../src/core/base/failure";
import { fenced, run } from "../run/mission";

/** Values under keys that begin with `_` reach results and tools, and never the model (agent reference, section 7). */

const PIN = 'pin 4711-x"y';
const context = { order: { id: 7, _note: PIN }, _secret: PIN, _account: 987654 };

test.each([
  ["printed", "(println data/_secret data/_account)"],
  ["printed in a text", '(println (str "<" data/_secret ">" data/_account "."))'],
  ["printed with pr-str", "(println (pr-str [data/_secret]))"],
  ["printed from a nested map", "(println (get-in data/order [:_note]))"],
  ["in an error", "(inc data/_secret)"],
  ["in a failed tool", "(tool/say {:text data/_secret})"],
  ["in a definition", "(def pin data/_secret)"],
  ["in a task's record and id", "(task data/_secret data/_account)"],
  ["in a plan's summary", '(step-done "a" data/_secret)'],
  ["in an answer's hidden field", "(println (:_code (tool/look {})))"],
])("a hidden value %s is not shown to the model, compressed or not", async (_, program) => {
  for (const compression of [false, true]) {
    const { step, host } = await run({
      agent: { max_turns: 3, compression, plan: ["a"] },
      says: [fenced(program), fenced("(def x 1)"), fenced("(return {:_pin data/_secret :account data/_account})")],
      tools: {
        say: ({ text }) => ({ ok: false, fail: { reason: "tool_error", message: `no ${text}` } }),
        look: () => ok({ _code: PIN }),
      },
      context,
      journal: {},
    });
    const sent = JSON.stringify(
      host.sent.map(({ system, messages }) => [system, messages.filter(({ role }) => role === "user")]),
    );
    expect(sent).not.toContain("4711");
    expect(sent).not.toContain("987654");
    expect(step.return).toEqual({ _pin: PIN, account: 987654 });
  }
});

test("other values that contain a hidden one by chance stay", async () => {
  const { heard } = await run({
    agent: { max_turns: 2 },
    says: [fenced('(println "categories 19876541 cat")'), fenced("(return 1)")],
    context: { _a: "categ", _b: 987654, _c: "cat" },
  });
  expect(heard[1]).toContain("categories 19876541 cat");
});
