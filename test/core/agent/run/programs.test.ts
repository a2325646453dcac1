import { runAgent } from "../../../../src/core/agent/run/run";
import type { Result } from "../../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../../src/core/base/json";
import { givenJournal } from "../../../../src/core/journal/given-journal";
import { agentOf, hostOf, run } from "./mission";

/** Programs that wait for the world, and the journal they are given. */
describe("parallel tool calls", () => {
  /** Answers come in the order of their numbers, whatever the order of the calls. */
  function slowest(first: number) {
    const waiting: (() => void)[] = [];
    return (args: JsonObject): Promise<Result<Json>> =>
      new Promise((resolve) => {
        waiting.push(() => resolve({ ok: true, value: args.n as Json }));
        if (waiting.length === first) for (const answer of waiting.reverse()) answer();
      });
  }

  test("give their results to the calling branch, in whatever order they end", async () => {
    const { step } = await run({ tools: { ask: slowest(3) }, says: ["(return (pmap #(tool/ask {:n %}) [1 2 3]))"] });
    expect(step.return).toEqual([1, 2, 3]);
  });

  test("of one task run once: the second branch waits and reads the record", async () => {
    let calls = 0;
    const pay = async () => ({ ok: true as const, value: ++calls });
    const { step, called } = await run({
      journal: {},
      tools: { pay },
      says: ['(return (pmap (fn [n] (task "pay" (tool/pay {:n n}))) [1 2 3]))'],
    });
    expect([step.return, called, step.journal]).toEqual([[1, 1, 1], ["pay"], { pay: 1 }]);
  });

  test("are numbered within their turn, and carry their task's id", async () => {
    const { host } = await run({
      journal: {},
      tools: { a: 1 },
      says: ['(do (tool/a {:n 1}) (task "t" (do (tool/a) (task "u" (tool/a)))))', "(do (tool/a) (return 1))"],
    });
    expect(host.toolCalls).toMatchObject([
      { name: "a", args: { n: 1 }, turn: 1, call: 1 },
      { name: "a", args: {}, turn: 1, call: 2, task: "t" },
      { name: "a", args: {}, turn: 1, call: 3, task: "u" },
      { name: "a", args: {}, turn: 2, call: 1 },
    ]);
  });

  test("that end with a bug or a cancellation end the run unchanged, without a tool_error", async () => {
    const host = hostOf(["(pcalls #(tool/a) #(tool/b))"], {
      a: () => new Promise(() => {}),
      b: () => Promise.reject(new Error("cancelled")),
    });
    const agent = agentOf({ tools: ["a", "b"] });
    await expect(runAgent(host, { agent, context: {}, journal: null, model: "scripted" })).rejects.toThrow("cancelled");
  });
});

describe("the journal of a run", () => {
  const inContext = { order: 1, journal: { a: 1 } };
  test.each([
    { name: "given", agent: {}, journal: { b: 2 }, context: { order: 1 }, is: { b: 2 }, data: { order: 1 } },
    { name: "in the context", agent: {}, journal: null, context: inContext, is: { a: 1 }, data: { order: 1 } },
    {
      name: "given, so that of the context is data",
      agent: {},
      journal: {},
      context: inContext,
      is: {},
      data: inContext,
    },
    {
      name: "declared to be data",
      agent: { signature: "(journal :map) -> :any" },
      journal: null,
      context: inContext,
      is: null,
      data: inContext,
    },
    {
      name: "switched off",
      agent: { journaling: false },
      journal: null,
      context: inContext,
      is: null,
      data: inContext,
    },
    {
      name: "no journal in the context",
      agent: {},
      journal: null,
      context: { journal: [1] },
      is: null,
      data: { journal: [1] },
    },
    { name: "none", agent: {}, journal: null, context: {}, is: null, data: {} },
  ])("$name", ({ agent, journal, context, is, data }) => {
    const given = givenJournal({
      agent: agentOf(agent),
      journal: journal as JsonObject | null,
      context: context as JsonObject,
    });
    expect(given).toEqual({ journal: is, data, fromContext: journal === null && is !== null });
  });

  test("switched off still records tasks if a journal was given", async () => {
    const { step } = await run({ agent: { journaling: false }, journal: {}, says: ['(return (task "t" 1))'] });
    expect(step.journal).toEqual({ t: 1 });
  });

  test("an invalid id is refused before its task runs", async () => {
    const { step, called } = await run({
      journal: {},
      tools: { pay: 1 },
      says: ['(task "" (tool/pay))', "(return 1)"],
    });
    expect(called).toEqual([]);
    expect(step.turns?.[0]?.result).toMatchObject({ reason: "eval_error", details: { code: "invalid_task_id" } });
  });
});
