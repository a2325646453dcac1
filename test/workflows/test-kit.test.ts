import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";
import { defineAgent } from "../../src/project/authoring/define-agent";
import {
  assertEffects,
  assertFailed,
  assertMissionLog,
  assertOnce,
  assertReturned,
  crashWorker,
  type MissionRun,
  program,
  runInMemory,
  Stage,
  stub,
  type TestMission,
} from "../../src/testing";
import { defineTool } from "../../src/tools";
import { testAddress } from "../support/environment";
import { deepTest } from "../support/run/deep";
import { stepEssence } from "../support/step-essence";

/** The test kit on a real server: the same missions, the same answers as in memory, and workers that really die. */
let stage: Stage;
beforeAll(async () => {
  const overrides = { workflowBundle: { codePath: process.env.NAVIGATOR_TEST_BUNDLE as string } };
  stage = await Stage.open({ address: testAddress(), overrides });
});
afterAll(() => stage.close());

const charge = defineTool({
  name: "charge_card",
  input: z.object({ order_id: z.int() }),
  output: z.object({ tx: z.string() }),
  run: ({ order_id }) => ({ tx: `tx_${order_id}` }),
});
const ship = defineTool({ name: "ship_item", run: () => "parcel_1" });
const order = (more: object = {}) =>
  defineAgent({ name: "order", prompt: "Charge the order.", tools: [charge, ship], ...more });
const CHARGE = '(task "charge_42" (tool/charge_card {:order_id 42}))';
const SHIP = '(task "ship_42" (tool/ship_item {:order_id 42}))';
const whole: TestMission = {
  script: [program(`(do ${CHARGE} ${SHIP} (step-done "1" "all of it") (return "done"))`)],
  tools: [charge, ship],
};

const parks = {
  ...whole,
  script: [
    { if_contains: "[done] confirmed", content: program(`(return {:paid ${CHARGE}})`) },
    program(`(do ${CHARGE} (return {:status :waiting}))`),
  ],
};

const MISSIONS: { name: string; agent?: object; mission: TestMission }[] = [
  { name: "two tools, a plan", agent: { plan: ["Charge and ship"] }, mission: whole },
  { name: "a stub that fails", mission: { ...whole, replace: { ship_item: stub.fails("no parcels") } } },
  {
    name: "an answer that is lost",
    mission: {
      ...whole,
      tools: { charge_card: charge, ship_item: stub.tool({ effect: "write" }, stub.lost("parcel_1")) },
      script: [...(whole.script as string[]), program('(return "was it sent?")')],
    },
  },
  {
    name: "an answer that is lost, and looked up",
    mission: {
      ...whole,
      tools: {
        charge_card: charge,
        ship_item: stub.tool({ effect: "irreversible", lookup: true }, stub.lost("parcel_1")),
      },
    },
    agent: { tools: [charge, "ship_item"] },
  },
  {
    name: "arguments that do not fit",
    mission: { ...whole, script: [program('(tool/charge_card {:order_id "x"})'), program("(return 1)")] },
  },
  {
    name: "a listener",
    agent: { prompt: "Tell a tale.", output: "text", tools: [] },
    mission: {
      script: [{ chunks: ["Once ", "upon"] }],
      options: { on_chunk: "screen" },
      onChunk: { screen: () => {} },
    },
  },
  { name: "a model that is busy", mission: { ...whole, faults: [{ model: 429, times: 2, retry_after_ms: 20 }] } },
  { name: "a tool that fails once", mission: { ...whole, faults: [{ tool: "ship_item", fails: "closed" }] } },
  { name: "a journal to begin with", mission: { ...whole, journal: { charge_42: { tx: "old" } } } },
  { name: "a decision", mission: { ...parks, decisions: [{ id: "confirmed", value: true, by: "anna" }] } },
  { name: "nobody decides", mission: parks },
  { name: "decisions that are not enough", mission: { ...parks, decisions: [{ id: "other", value: 1 }] } },
  {
    name: "a wait that runs out",
    agent: { wait_timeout_ms: 100 },
    mission: { ...parks, script: [...parks.script, program('(fail "late")')] },
  },
  {
    name: "a model of the agent's own",
    agent: { model: ["nobody/knows", () => program("(return 7)")], llm_retry: { max_attempts: 1 } },
    mission: { tools: [charge, ship] },
  },
  {
    name: "an approval",
    agent: { tools: [{ name: "charge_card", approval: true }, "ship_item"] },
    mission: { ...whole, reviews: [{ choice: "approve", by: "anna" }] },
  },
];

test.each(MISSIONS)("$name: both hosts give the same result", async ({ agent, mission }) => {
  const [inMemory, onServer] = [await runInMemory(order(agent), mission), await stage.run(order(agent), mission)];
  expect(essence(onServer)).toEqual(essence(inMemory));
});

test("a question without an answer ends the test instead of hanging", async () => {
  const asking = order({ tools: [{ name: "charge_card", approval: true }, "ship_item"] });
  await expect(stage.run(asking, whole)).rejects.toThrow("Nobody decides");
});

describe("workers are killed", () => {
  const POINTS = [
    [crashWorker({ after: { tool: "charge_card" } })],
    [crashWorker({ before: { tool: "charge_card" } })],
    [crashWorker({ after: { tool: "charge_card" } }), crashWorker({ before: { tool: "ship_item" } })],
  ];
  deepTest.each(POINTS)("%j %j", async (...points) => {
    const service = new Map<string, string>();
    const counted = (_: object, { idempotencyKey: key }: { idempotencyKey: string }) => {
      if (!service.has(key)) service.set(key, `tx_${service.size + 1}`);
      return { tx: service.get(key) };
    };
    const mission = {
      ...whole,
      replace: { charge_card: counted },
      faults: points.filter((point) => point !== undefined),
    };
    const run = await stage.run(order(), mission);
    assertReturned(run, "done");
    assertMissionLog(run, { charge_42: { tx: "tx_1" }, ship_42: "parcel_1" });
    assertOnce(run, "charge_card");
    assertOnce(run, "ship_item");
    expect(service.size).toBe(1);
    const lost = points[0]?.lost === "after";
    assertEffects(run, [
      { tool: "charge_card", attempts: lost ? 2 : 1 },
      { tool: "ship_item", attempts: 1 },
    ]);
  });

  deepTest("before the answer is said, which is heard once", async () => {
    const agent = defineAgent({ name: "clerk", prompt: "Charge it.", output: "text", tools: [charge], max_turns: 3 });
    const run = await stage.run(agent, {
      script: [{ tool_calls: [{ name: "charge_card", args: { order_id: 42 } }] }, "It is charged."],
      tools: [charge],
      options: { on_chunk: "screen" },
      onChunk: { screen: () => {} },
      faults: [crashWorker({ after: { tool: "charge_card" } })],
    });
    assertReturned(run, "It is charged.");
    expect(run.chunks).toMatchObject([{ listener: "screen", text: "It is charged.", done: true, turn: 2 }]);
  });

  deepTest("while a text agent pays: with approval, in other words, and in another attempt it pays once", async () => {
    const paid = new Map<string, object>();
    const bank = createServer((request, response) => {
      const key = String(request.headers["idempotency-key"]);
      if (!paid.has(key)) paid.set(key, { tx: `tx_${paid.size + 1}` });
      response.end(JSON.stringify(paid.get(key)));
    }).listen(0, "127.0.0.1");
    await once(bank, "listening");
    const { port } = bank.address() as AddressInfo;
    const pay = defineTool({
      name: "pay_invoice",
      approval: true,
      onSameEffect: "reuse",
      signature: "(invoice :string, cents :int, memo :string?) -> {tx :string}",
      identity: ["invoice", "cents"],
      run: async (_, { idempotencyKey }) => {
        const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { "idempotency-key": idempotencyKey } });
        return (await answer.json()) as { tx: string };
      },
    });
    const agent = defineAgent({
      name: "clerk",
      prompt: "Pay INV-7.",
      output: "text",
      tools: [pay, ship],
      max_turns: 4,
    });
    const asks = (id: string, cents: number, memo: string) => ({
      id,
      name: "pay_invoice",
      args: { invoice: "INV-7", cents, memo },
    });
    const edited = { invoice: "INV-7", cents: 400, memo: "for May" };
    const mission: TestMission = {
      tools: [pay, ship],
      script: [
        { tool_calls: [asks("a", 500, "for May"), { id: "b", name: "ship_item", args: {} }] },
        { tool_calls: [asks("c", 400, "the bill of May, please")] },
        "It is paid.",
      ],
      options: { on_chunk: "screen" },
      onChunk: { screen: () => {} },
      reviews: [
        { choice: "approve", by: "anna", value: edited, note: "as agreed" },
        { choice: "approve", by: "anna" },
      ],
      faults: [crashWorker({ after: { tool: "pay_invoice" } })],
    };
    try {
      const run = await stage.run(agent, mission);
      assertReturned(run, "It is paid.");
      // What was asked, under its own name; the second time as the ledger knows it.
      const [first, second] = [500, 400].map((cents) => `pay_invoice {"cents":${cents},"invoice":"INV-7"}`);
      assertMissionLog(run, {
        ship_item: "parcel_1",
        [first as string]: { tx: "tx_1" },
        [second as string]: { tx: "tx_1" },
      });
      expect(run.ledger.filter(({ tool }) => tool === "pay_invoice")).toMatchObject([
        { state: "done", by: "anna", args: edited, reused: 1 },
      ]);
      expect(paid.size).toBe(1);
      expect(run.chunks).toMatchObject([{ text: "It is paid.", done: true }]);
      // Another attempt with this journal asks nobody, and calls nothing.
      const again = await stage.run(agent, {
        tools: [pay, ship],
        script: [{ tool_calls: [asks("a", 500, "May!")] }, "It was paid."],
        journal: run.journal,
      });
      assertReturned(again, "It was paid.");
      expect([again.effects, again.reviews, paid.size]).toEqual([[], [], 1]);
    } finally {
      bank.close();
    }
  });

  test("in the middle of an irreversible call", async () => {
    const wire = defineTool({ name: "wire", effect: "irreversible", run: () => "sent" });
    const agent = defineAgent({ name: "bank", prompt: "Wire it.", tools: [wire] });
    const mission = {
      script: [program("(tool/wire {})"), program('(fail {:reason "unclear" :message (:message data/fail)})')],
      tools: [wire],
      faults: [crashWorker({ after: { tool: "wire" } })],
      reviews: [{ choice: "did_not_happen", by: "anna" }],
    };
    for (const run of [await stage.run(agent, mission), await runInMemory(agent, mission)]) {
      assertFailed(run, "unclear");
      expect(run.step.fail?.message).toContain("it did not happen, anna said");
      assertOnce(run, "wire");
    }
  });
});

/** Without what must differ: ids and times. */
function essence(run: MissionRun): unknown {
  const keyless = run.effects.map(({ key, ...effect }) => ({ ...effect, place: key.split("/").slice(2) }));
  const ledger = run.ledger.map(({ key, ...entry }) => ({ ...entry, place: key.split("~")[2] }));
  // In memory time stands still during calls.
  ledger.sort((a, b) => (a.id < b.id ? -1 : 1));
  const reviews = run.reviews.map(({ status, title, choices }) => ({ status, title, choices }));
  return stepEssence({ ...run, effects: keyless, ledger, reviews });
}
