import { type AgentInput, type AgentState, openRun, runAgent } from "../../../../src/core/agent/run/run";
import { failed, ok, type Result } from "../../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../../src/core/base/json";
import type { ScriptedReply } from "../../../../src/models/scripted";
import type { MemoryHost } from "../../../../src/simulate/memory-host";
import { agentOf, fenced, hostOf } from "./mission";

/** Equal native calls in one reply: each is compared with what the one before it has done (agent reference, section 15). */

const PAY = {
  name: "pay",
  effect: "irreversible",
  signature: "(cents :int, memo :string?) -> :any",
  identity: ["cents"],
};
const WRITE = { name: "note", effect: "write" };
const pay = (cents: number, memo = "") => ({ name: "pay", args: { cents, memo } });
const reply = (...tool_calls: { name: string; args: JsonObject }[]): ScriptedReply => ({ tool_calls });

/** Decides each question with the next choice, and remembers what was asked. */
function deciding(host: MemoryHost, choices: string[]): string[] {
  const asked: string[] = [];
  host.requestReview = async (request, _, place) => {
    asked.push(`${place} ${request.title}`);
    return ok({ id: "1", choice: choices[asked.length - 1] ?? "reject", by: "anna", at: 0 } as never);
  };
  return asked;
}

const answersOf = (host: MemoryHost): Json[] =>
  (host.sent.at(-1)?.messages ?? []).flatMap(({ role, content }) => (role === "tool" ? [JSON.parse(content)] : []));

const inputOf = (agent: object, input: Partial<AgentInput> = {}): AgentInput => ({
  agent: agentOf({ output: "text", tools: [PAY, WRITE], ...agent }),
  context: {},
  journal: {},
  model: "m",
  ...input,
});

test.each<[string, string[], object, Partial<AgentInput>, number[], number]>([
  ["asks a person, who gives the earlier answer", ["use_earlier"], PAY, {}, [500], 1],
  ["asks a person, who lets it be made again", ["do_again"], PAY, {}, [500, 500], 1],
  ["asks a person, who refuses", ["reject"], PAY, {}, [500], 1],
  ["asks without a journal, too", ["use_earlier"], PAY, { journal: null }, [500], 1],
  ["is refused where the tool says `fail`", [], { ...PAY, on_same_effect: "fail" }, {}, [500], 0],
  ["is made where the tool is repeatable", [], { ...PAY, repeatable: true }, {}, [500, 500], 0],
  ["is made for a write, and told", [], { ...PAY, effect: "write" }, {}, [500, 500], 0],
])("the second of two equal calls in one reply %s", async (_, choices, tool, input, made, questions) => {
  const host = hostOf([reply(pay(500, "May"), pay(500, "the bill")), "done"], { pay: () => ok({ tx: "t" }) });
  const asked = deciding(host, choices);
  const step = await runAgent(host, inputOf({ tools: [tool] }, input));
  expect(step.return).toBe("done");
  expect(host.toolCalls.map(({ args }) => args.cents)).toEqual(made);
  expect(asked).toHaveLength(questions);
  const keys = host.toolCalls.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  const second = answersOf(host)[1];
  if (choices[0] === "use_earlier") expect(second).toMatchObject({ result: { tx: "t" }, notice: expect.any(String) });
  if (choices[0] === "reject") expect(second).toMatchObject({ error: expect.stringContaining("done already") });
});

test.each<[string, number[], ([number] | string)[], number[]]>([
  ["two edits to the same", [900, 800], [[100], [100], "use_earlier"], [100]],
  ["an edit to what another call asks for", [900, 100], [[100], "approve", "use_earlier"], [100]],
  ["an edit to what an earlier call has asked for", [100, 900], ["approve", [100], "do_again"], [100, 100]],
  ["edits that change places", [900, 800], [[800], [900]], [800, 900]],
  ["edits to different ones", [900, 800], [[100], [200]], [100, 200]],
])("%s: what a person's edit makes equal is asked about", async (_, cents, decisions, made) => {
  const host = hostOf([reply(...cents.map((one) => pay(one))), "done"], { pay: () => ok({ tx: "t" }) });
  const asked: string[] = [];
  host.requestReview = async (request, _deadline, place) => {
    asked.push(`${place} ${request.title}`);
    const said = decisions[asked.length - 1] ?? "reject";
    const edit = typeof said === "string" ? { choice: said } : { choice: "approve", value: { cents: said[0] } };
    return ok({ id: "1", ...edit, by: "anna", at: 0 } as never);
  };
  const step = await runAgent(host, inputOf({ tools: [{ ...PAY, approval: true }] }));
  expect(step.return).toBe("done");
  expect(host.toolCalls.map(({ args }) => args.cents).sort()).toEqual(made);
  expect(asked).toHaveLength(decisions.length);
  expect(new Set(host.toolCalls.map(({ key }) => key)).size).toBe(made.length);
});

test("a second call after one that failed means the same effect, with the same key, and nobody is asked", async () => {
  const outcomes: Result<Json>[] = [failed("tool_error", "503"), ok({ tx: "t" })];
  const host = hostOf([reply(pay(500), pay(500), pay(700)), reply(pay(500)), "done"], {
    pay: ({ cents }) => (cents === 700 ? ok("other") : (outcomes.shift() as Result<Json>)),
  });
  const asked = deciding(host, ["use_earlier"]);
  await runAgent(host, inputOf({}));
  const keys = host.toolCalls.filter(({ args }) => args.cents === 500).map(({ key }) => key);
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  // Only the call of the next reply is asked about: the effect is done by then.
  expect(asked).toEqual([expect.stringMatching(/^2\.1/)]);
});

test("two equal calls of an agent run one after the other: the second hears of what the first has done", async () => {
  const clerk = { prompt: "Pay.", tools: [{ ...PAY, on_same_effect: "fail" }], output: "text" };
  const says = [reply({ name: "clerk", args: {} }, { name: "clerk", args: {} })];
  const host = hostOf([...says, reply(pay(500)), "paid", reply(pay(500)), "was paid", "done"], { pay: () => ok("t") });
  const step = await runAgent(host, inputOf({ tools: [{ name: "clerk", description: "Pays", agent: clerk }] }));
  expect([step.return, host.toolCalls.length, answersOf(host)]).toEqual(["done", 1, ["paid", "was paid"]]);
  expect(JSON.stringify(host.sent[4]?.messages)).toContain("it is done already");
});

test("a later attempt gives the first its record, and asks about the second", async () => {
  const host = hostOf([reply(pay(500)), reply(pay(500), pay(500)), "done"], { pay: () => ok({ tx: "t" }) });
  const asked = deciding(host, ["use_earlier"]);
  const first = openRun(host, inputOf({}));
  await first.turn();
  const again = first.reinvoked();
  await again.turn();
  expect((await again.turn())?.return).toBe("done");
  expect([host.toolCalls.length, asked]).toEqual([1, [expect.stringMatching(/^1\.2\/again/)]]);
  expect(answersOf(host)).toEqual([
    { result: { tx: "t" }, notice: expect.stringContaining("finished before") },
    { result: { tx: "t" }, notice: expect.stringContaining("as anna decided") },
  ]);
});

test("the second call waits while a person decides on the first, also in another process", async () => {
  const host = hostOf([reply(pay(500), { name: "note", args: {} }, pay(500)), "done"], {
    pay: () => ok({ tx: "t" }),
    note: 1,
  });
  const open: { place: string; decide: (choice: string) => void }[] = [];
  host.requestReview = (_, __, place) =>
    new Promise((resolve) => {
      open.push({
        place: String(place),
        decide: (choice) => resolve(ok({ id: "1", choice, by: "anna", at: 0 } as never)),
      });
    });
  const until = async (count: number) => {
    while (open.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  let pause = false;
  const pausing = Object.assign(Object.create(host), { shouldPause: () => pause });
  const input = inputOf({ tools: [{ ...PAY, approval: true }, WRITE] });
  const carried = async (run: ReturnType<typeof openRun>, turn: Promise<unknown>) => {
    pause = true;
    run.recheck();
    expect(await turn).toBeNull();
    pause = false;
    return openRun(pausing, input, JSON.parse(JSON.stringify(run.state)) as AgentState);
  };
  let run = openRun(pausing, input);
  let turn: Promise<unknown> = run.turn();
  await until(1);
  run = await carried(run, turn);
  turn = run.turn();
  await until(2);
  expect(open.map(({ place }) => place)).toEqual(["1.1", "1.1"]);
  open[1]?.decide("approve");
  await until(3);
  // The first is done: the second asks whether it is meant, here and in the process behind it.
  run = await carried(run, turn);
  turn = run.turn();
  await until(4);
  expect(open.slice(2).map(({ place }) => place)).toEqual(["1.3/again", "1.3/again"]);
  open[3]?.decide("use_earlier");
  expect(await turn).toBeNull();
  expect(host.toolCalls.map(({ name }) => name).sort()).toEqual(["note", "pay"]);
});

test.each([
  ["the first", [1, 2], [["pay", 500]]],
  ["the second", [2, 1], [["pay", 500]]],
])(
  "a call that a person's change makes equal to another one of the reply is compared with it; %s is decided first",
  async (_, order, made) => {
    const host = hostOf([reply(pay(400), pay(500)), "done"], { pay: () => ok({ tx: "t" }) });
    const asked: string[] = [];
    const decide: (() => void)[] = [];
    host.requestReview = (_request, __, place = "") => {
      asked.push(place);
      const said = place.endsWith("/again")
        ? { choice: "use_earlier" }
        : { choice: "approve", value: { cents: 500, memo: "" } };
      return new Promise((resolve) => {
        const answer = () => resolve(ok({ id: "1", by: "anna", at: 0, ...said } as never));
        if (place.endsWith("/again")) answer();
        else decide[Number(place.split(".")[1])] = answer;
      });
    };
    const run = openRun(host, inputOf({ tools: [{ ...PAY, approval: true }] }));
    const turn = run.turn();
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    for (const call of order) {
      decide[call]?.();
      // Everything in memory goes on at once.
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await turn).toBeNull();
    expect(host.toolCalls.map(({ name, args }) => [name, args.cents])).toEqual(made);
    expect(asked).toEqual(["1.1", "1.2", `1.${order[1]}/again`]);
  },
);

test("a reply that ends the run leaves open what its calls did, so that the next attempt means the same", async () => {
  const gone = () => failed("configuration_error", "no worker has it");
  const host = hostOf([reply(pay(500), { name: "gone", args: {} })], { pay: () => ok({ tx: "t" }), gone });
  const run = openRun(host, inputOf({ tools: [PAY, { name: "gone" }] }, { journal: null }));
  expect((await run.turn())?.fail?.reason).toBe("configuration_error");
  expect(JSON.stringify(run.ledger?.state())).not.toContain('"ended"');
  const claim = run.ledger?.claim({ ...PAY, effect: "irreversible" }, { call: 1, turn: 1, args: { cents: 500 } }, 0);
  expect(claim).toMatchObject({ kind: "same", entry: { state: "done" } });
});

test("equal calls of one program are meant twice, as ever", async () => {
  const host = hostOf([fenced("(return [(tool/pay {:cents 500}) (tool/pay {:cents 500})])")], { pay: () => ok("t") });
  const asked = deciding(host, []);
  await runAgent(host, inputOf({ output: undefined }));
  expect([host.toolCalls.length, asked]).toEqual([2, []]);
});
