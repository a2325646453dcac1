import path from "node:path";
import { type Commands, openPlace, type Place } from "../support/cli";

/** What needs no server: PTC-Lisp and simulations from the command line. */

const EXAMPLE = path.join(__dirname, "../../examples/order/scenarios/charge.yaml");

let place: Place;
let here: Commands;
beforeAll(async () => {
  place = await openPlace("lisp", { TEMPORAL_ADDRESS: "127.0.0.1:1" });
  here = place.here();
});
afterAll(() => place.close());

describe("navigator lisp", () => {
  test("runs an expression, a file and standard input, and prints the output, then the value", async () => {
    const source = '(println "adding") (+ 1 2)';
    const file = place.write("sum.lisp", source);
    for (const end of [
      await place.run(["lisp", "-e", source]),
      await here.run(["lisp", file]),
      await place.run(["lisp"], { input: source }),
    ])
      expect(end).toEqual({ code: 0, stdout: "adding\n3\n", stderr: "" });
    expect(await here.json(["lisp", "-e", source])).toMatchObject({ ok: 3, prints: ["adding"] });
  });

  test("shows the place of a failure and exits with code 1", async () => {
    const end = await here.run(["lisp", "-e", '(str "a"\n  (foo 1))']);
    expect(end).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/Undefined variable: foo\n2 \| {3}\(foo 1\)\)\n/),
    });
    const answer = await here.json(["lisp", "-e", "(foo 1)"], { code: 1 });
    expect(answer.fail).toMatchObject({ reason: "analysis_error", line: 1 });
  });
});

test("navigator lisp batch answers every line in order, also invalid ones, and exits with code 0", async () => {
  const cases = [
    { id: 1, program: "(+ 1 2)" },
    { id: "b", program: "(tool/price {:of data/what})", context: { what: "tea" }, tools: { price: { kind: "echo" } } },
    {
      id: 3,
      program: '(task "once" (tool/pay {}))',
      journal: { once: 7 },
      tools: { pay: { kind: "error", message: "no" } },
    },
    { id: 4, program: "(nope)" },
  ];
  const input = `${cases.map((one) => JSON.stringify(one)).join("\n")}\nno json\n`;
  const file = place.write("cases.jsonl", input);
  for (const end of [
    await place.run(["lisp", "batch"], { input }),
    await here.run(["lisp", "batch", file, "--json"]),
  ]) {
    expect(end).toMatchObject({ code: 0, stderr: "" });
    const answers = end.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers).toMatchObject([
      { id: 1, ok: 3 },
      { id: "b", ok: { of: "tea" } },
      { id: 3, ok: 7, journal: { once: 7 } },
      { id: 4, fail: { reason: "analysis_error", line: 1, column: 2 } },
      { id: null, fail: { reason: "invalid_input", details: { path: "line" } } },
    ]);
  }
});

describe("navigator simulate agent", () => {
  test("plays the scenario of the order example: each turn, then the result", async () => {
    const end = await here.run(["simulate", "agent", EXAMPLE]);
    expect(end).toMatchObject({ code: 0, stderr: "" });
    expect(end.stdout).toMatch(/^Turn 1 {2}ok\n {2}called get_order with order_id 42\n {2}printed total 4990\n/);
    expect(end.stdout).toContain('- [done] charge_order_42: {"tx" "tx_1"}');
    expect(end.stdout).toContain("- [x] Send the receipt — mailed to anna@example.com");
    expect(end.stdout).toMatch(/\nReturned\n {2}outcome {2}passed\n {2}tx {7}tx_1\n\n2 turns\n$/);
  });

  test("prints JSON: the step, the journal and everything that the model was sent", async () => {
    const { step, journal, messages } = await here.json(["simulate", "agent", EXAMPLE]);
    expect(step).toMatchObject({ return: { outcome: "passed", tx: "tx_1" }, fail: null });
    expect(Object.keys(journal)).toEqual(["load_order_42", "charge_order_42", "receipt_order_42"]);
    expect(messages[0]).toMatchObject({ turn: 1, role: "system" });
  });

  test("exits with code 1 for a run that fails; running out of replies is reported", async () => {
    const input = JSON.stringify({ agent: { prompt: "Do it." }, model: ["```clojure\n(nope)\n```"] });
    const end = await place.run(["simulate", "agent", "-"], { input });
    expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining("Failed [llm_error]") });
    expect(end.stdout).toContain("the scenario has no reply for model call 2");
    expect(end.stdout).toMatch(/^Turn 1 {2}failed\n/);
  });
});
