import { defineAgent } from "../../src/project/authoring/define-agent";
import { assertEffects, assertReturned, program, runInMemory, stub } from "../../src/testing";
import { Effects } from "../../src/testing/effects";
import { playedTools, type TestTool } from "../../src/testing/tools";
import { absent, defineTool, found, type UndoContext } from "../../src/tools";
import { toolCall } from "../tools/tool-call";

const payer = defineAgent({ name: "payer", prompt: "Pay.", tools: ["pay"] });
const effectsOf = (pay: TestTool) => new Effects(playedTools(payer, { tools: { pay } }), []);
const KEY = "agent/test~pay";
const called = toolCall({ idempotencyKey: KEY });
const undoing: UndoContext = { ...toolCall({ idempotencyKey: `${KEY}~undo` }), callKey: KEY };
const GOOD = stub.tool({ effect: "irreversible", lookup: true, undo: true }, stub.always({ tx: "t1" }));

test("a stub has the settings of a tool", () => {
  const settings = { identity: ["invoice"], onSameEffect: "fail", repeatable: false } as const;
  const pay = stub.tool({ ...settings, lookup: true, undo: true }, stub.echo());
  expect(playedTools(payer, { tools: { pay } }).get("pay")?.spec).toEqual({
    name: "pay",
    effect: "write",
    identity: ["invoice"],
    on_same_effect: "fail",
    lookup: true,
    undo: true,
  });
});

test("settings that defineTool refuses are refused", () =>
  expect(() => effectsOf(stub.tool({ effect: "read", undo: true }, stub.echo()))).toThrow(
    expect.objectContaining({ code: "invalid_tool" }),
  ));

test("an answer that is lost is unknown to the program; the effect has happened", async () => {
  const run = await runInMemory(payer, {
    tools: { pay: stub.tool({ effect: "write" }, stub.lost({ tx: "t1" })) },
    script: [program("(tool/pay {:cents 5})"), program('(return "paid?")')],
  });
  assertReturned(run, "paid?");
  assertEffects(run, [{ tool: "pay", attempts: 1 }]);
  expect(run.effects).toMatchObject([{ result: { tx: "t1" } }]);
  expect(run.messages.map(({ content }) => content).join("\n")).toContain("the outcome is unknown");
});

test("an answer that is lost is looked up", async () => {
  const run = await runInMemory(payer, {
    tools: { pay: stub.tool({ effect: "irreversible", lookup: true }, stub.lost({ tx: "t1" })) },
    script: [program("(return (tool/pay {:cents 5}))")],
  });
  assertReturned(run, { tx: "t1" });
  assertEffects(run, [{ tool: "pay", attempts: 1 }]);
});

test("called again with the key, the stub answers", async () => {
  const effects = effectsOf(stub.lost({ tx: "t1" }));
  await expect(effects.run("pay", {}, called)).rejects.toMatchObject({ details: { code: "unknown_outcome" } });
  expect(await effects.run("pay", {}, called)).toEqual({ tx: "t1" });
  expect(effects.list).toMatchObject([{ attempts: 2, result: { tx: "t1" } }]);
});

test("a stub knows its keys, until they are taken back", async () => {
  const effects = effectsOf(GOOD);
  expect(await effects.lookUp("pay", KEY, {}, called)).toEqual(absent);
  await effects.run("pay", {}, called);
  expect(await effects.lookUp("pay", KEY, {}, called)).toEqual(found({ tx: "t1" }));
  expect(await effects.undo("pay", {}, { tx: "t1" }, undoing)).toBeNull();
  expect(await effects.lookUp("pay", KEY, {}, called)).toEqual(absent);
  expect(effects.list).toMatchObject([{ key: KEY, undone: true }]);
});

test("a real tool answers for itself", async () => {
  const pay = defineTool({
    name: "pay",
    run: () => "t1",
    lookup: (key) => found(`of ${key}`),
    undo: (_args, result, { callKey }) => ({ refunded: `${String(result)} of ${callKey}` }),
  });
  const effects = effectsOf(pay);
  await effects.run("pay", {}, called);
  expect(await effects.lookUp("pay", KEY, {}, called)).toEqual(found(`of ${KEY}`));
  expect(await effects.undo("pay", {}, "t1", undoing)).toEqual({ refunded: `t1 of ${KEY}` });
  expect(effects.list).toMatchObject([{ undone: true }]);
});
