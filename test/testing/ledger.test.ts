import { AssertionError } from "node:assert";
import { defineAgent } from "../../src/project/authoring/define-agent";
import { assertLedger, program, runInMemory, stub } from "../../src/testing";

/** What a test asserts on the ledger of a mission. */
const payer = defineAgent({ name: "payer", prompt: "Pay.", tools: ["pay", "hire"], max_turns: 3 });
const run = () =>
  runInMemory(payer, {
    tools: {
      pay: stub.tool({ effect: "write", identity: ["invoice"] }, stub.always("tx")),
      hire: stub.tool({ effect: "irreversible" }, stub.lost("bob")),
    },
    reviews: [{ choice: "did_not_happen", by: "anna", note: "no contract" }],
    script: [
      program('(do (tool/pay {:invoice "A" :memo "first"}) (tool/hire {:who "bob"}))'),
      program('(do (tool/pay {:invoice "A" :memo "reworded"}) (return 1))'),
    ],
  });

test("an effect has one entry, however often it was asked for; what people said of a lost one is there", async () => {
  const mission = await run();
  assertLedger(mission, [
    { tool: "pay", state: "done", reused: 1, n: 1, turn: 1, args: { invoice: "A", memo: "first" } },
    { tool: "hire", state: "failed", effect: "irreversible", by: "anna", message: "...no contract..." },
  ]);
  expect(new Set(mission.ledger.map(({ key }) => key))).toEqual(new Set(mission.effects.map(({ key }) => key)));
});

test("a difference shows the fields that the test names", async () => {
  const mission = await run();
  expect(() => assertLedger(mission, [{ tool: "pay", state: "undone" }])).toThrow(
    expect.objectContaining({
      name: AssertionError.name,
      message: expect.stringContaining("The ledger differs"),
      actual: [
        { tool: "pay", state: "done" },
        { tool: "hire", state: "failed", args: { who: "bob" } },
      ],
    }),
  );
});
