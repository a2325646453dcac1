import { defineAgent } from "../../src/project/authoring/define-agent";
import { assertEffects, EffectGuards, program, runInMemory, stub } from "../../src/testing";

/** Missions in memory that share the effects of a namespace. */

const payer = defineAgent({ prompt: "Pay.", tools: ["pay"] });
const script = [program('(return (tool/pay {:invoice "R1"}))')];
const given = (id: string, guards?: EffectGuards) => ({
  id,
  script,
  tools: { pay: stub.tool({ identityScope: "namespace", undo: true }, stub.always({ tx: "tx_1" })) },
  ...(guards === undefined ? {} : { guards }),
});

test("with the same guards they do the same once, and without them each does it", async () => {
  const guards = new EffectGuards();
  const first = await runInMemory(payer, given("first", guards));
  const second = await runInMemory(payer, given("second", guards));
  assertEffects(first, [{ tool: "pay", attempts: 1 }]);
  assertEffects(second, []);
  expect(second.step.return).toEqual({ tx: "tx_1" });
  expect(second.ledger[0]?.held_by).toBe(first.ledger[0]?.deed);
  assertEffects(await runInMemory(payer, given("third")), [{ tool: "pay", attempts: 1 }]);
});

test("what one of them took back is done again by the next", async () => {
  const guards = new EffectGuards();
  const first = await runInMemory(payer, given("first", guards));
  const second = await runInMemory(payer, given("second", guards));
  expect((await second.undo()).undone).toEqual([]);
  expect((await first.undo()).undone).toEqual([first.ledger[0]?.key]);
  assertEffects(await runInMemory(payer, given("third", guards)), [{ tool: "pay", attempts: 1 }]);
});
