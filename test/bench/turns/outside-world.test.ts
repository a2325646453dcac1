import { OutsideWorld, type SentCall, WorldSession } from "../../../bench/turns/outside-world";
import type { JsonObject } from "../../../src/core/base/json";

/** The service that missions of the bench call: what counts as a second deed, and what as a lost answer. */

let world: OutsideWorld;
let url: string;
let asked: JsonObject[];
let session: WorldSession;
let loses: boolean;

beforeEach(async () => {
  asked = [];
  loses = false;
  world = new OutsideWorld({ isRead: (tool) => tool === "look", onMade: async () => loses });
  url = await world.open();
  session = new WorldSession({
    call: async (turn, tool, args) => {
      if (tool === "broken") throw new Error("the simulator is broken");
      asked.push({ turn, tool, args });
      return asked.length;
    },
    judge: async () => [],
    end: async () => [],
  });
  world.add(["agent"], session);
});
afterEach(() => world.close());

const call = async (sent: Partial<SentCall>): Promise<unknown> => {
  const whole = { agent: "agent", tool: "pay", args: {}, key: "k", attempt: 1, worker: "w.0", ...sent };
  const response = await fetch(`${url}/call`, { method: "POST", body: JSON.stringify(whole) });
  return response.ok ? ((await response.json()) as { answer: unknown }).answer : response.status;
};

test("a call with the same key is made again: the service is no safety net", async () => {
  expect([await call({}), await call({})]).toEqual([1, 2]);
  expect(session.deeds).toHaveLength(2);
});

test("a key whose worker was killed gets the recorded answer", async () => {
  await call({});
  world.dead.add("w.0");
  expect(await call({ worker: "w.1" })).toBe(1);
  expect([session.deeds.length, world.repeated]).toEqual([1, 1]);
});

test("another attempt of the same call gets it, too", async () => {
  await call({});
  expect(await call({ attempt: 2 })).toBe(1);
  expect(session.deeds).toHaveLength(1);
});

test("another key of another worker is another deed, also after a kill", async () => {
  await call({});
  world.dead.add("w.0");
  expect(await call({ key: "other", worker: "w.1" })).toBe(2);
  expect(session.deeds).toHaveLength(2);
});

test("an answer that is lost was made, and is repeated", async () => {
  loses = true;
  await expect(call({})).rejects.toThrow();
  world.dead.add("w.0");
  loses = false;
  expect(await call({ worker: "w.1", attempt: 2 })).toBe(1);
  expect(asked).toHaveLength(1);
});

test("reads are no deeds", async () => {
  await call({ tool: "look" });
  expect(session.deeds).toEqual([]);
  expect(session.keys.size).toBe(1);
});

test("what a simulator throws is a problem of the bench, and not lost in an answer", async () => {
  expect(await call({ tool: "broken" })).toBe(500);
  expect(world.problems).toEqual(["the simulator is broken"]);
});

test("whoever waits for calls hears of them", async () => {
  const waiting = session.reached(2, 1);
  await call({ key: "a" });
  await call({ key: "b" });
  await fetch(`${url}/prompt`, {
    method: "POST",
    body: JSON.stringify({ agent: "agent", call: 1, parts: ["a"], reply: "b" }),
  });
  await waiting;
  expect([session.keys.size, session.modelCalls.size]).toEqual([2, 1]);
});
