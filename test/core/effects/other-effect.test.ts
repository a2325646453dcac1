import { type AgentInput, openRun, stepOf } from "../../../src/core/agent/run/run";
import { failed, ok, type Result } from "../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../src/core/base/json";
import type { ToolSpec } from "../../../src/core/calls/tool";
import type { EffectEntry } from "../../../src/core/effects/entry";
import { scriptedModel } from "../../../src/models/scripted";
import { MemoryHost, type MemoryTool, type ScriptedDecision } from "../../../src/simulate/memory-host";
import { agentOf, fenced, missionLogOf } from "../agent/run/mission";

const PAY: ToolSpec = { name: "pay", effect: "write" };
const MEMO: ToolSpec = { name: "memo", effect: "write", identity: ["invoice", "cents"] };
const WIRE: ToolSpec = { name: "wire", effect: "write", on_other_effect: "fail" };
const LOOK: ToolSpec = { name: "look", effect: "read" };
const LONG: ToolSpec = { name: "long", effect: "read" };

interface Given extends Partial<Omit<AgentInput, "agent">> {
  agent?: object;
  decisions?: ScriptedDecision[];
  /** The state is written as JSON and read again whenever the program waits. */
  pausing?: boolean;
}

/** A mission whose tools count what they do. */
async function mission(says: string[], { agent = {}, decisions = [], pausing = false, ...input }: Given = {}) {
  const done: JsonObject[] = [];
  const pay = (args: JsonObject): Result<Json> => {
    const isFirst = done.every(({ at_first }) => at_first !== false);
    done.push(args);
    return args.no === true || (args.at_first === false && isFirst)
      ? failed("tool_error", "no")
      : ok({ tx: done.length, args });
  };
  const host = new MemoryHost({
    model: scriptedModel(
      says.map((program) => ({ content: fenced(program) })),
      "the test",
    ),
    tools: new Map<string, MemoryTool>([
      ["pay", pay],
      ["memo", pay],
      ["wire", pay],
      ["look", (args) => ok({ args, found: 500 })],
      ["long", () => ok("x".repeat(15_000))],
    ]),
    decisions,
  });
  const definition = agentOf({ max_turns: 9, ...agent, tools: [PAY, MEMO, WIRE, LOOK, LONG] });
  const whole = { context: {}, journal: {}, model: "scripted", ...input, agent: definition };
  let run = host.open(whole);
  if (pausing) {
    let pause = false;
    let pauses = 0;
    const pausingHost = Object.assign(Object.create(host), { shouldPause: () => pause });
    run = openRun(pausingHost, whole);
    const turn = async () => {
      for (;;) {
        queueMicrotask(() => {
          pause = true;
        });
        const step = await run.turn();
        pause = false;
        if (step !== null || !run.isPaused) return step;
        pauses += 1;
        run = openRun(pausingHost, whole, JSON.parse(JSON.stringify(run.state)));
      }
    };
    let step = await turn();
    while (step === null) step = await turn();
    expect(pauses).toBeGreaterThan(0);
    return told(step);
  }
  return told(await stepOf(run));

  function told(step: Awaited<ReturnType<typeof stepOf>>) {
    return {
      step,
      done,
      heard: host.sent.map(({ messages }) => messages.at(-1)?.content ?? ""),
      logs: host.sent.map(missionLogOf),
      reviews: host.reviews,
      effects: run.ledger?.entries() as EffectEntry[],
      others: step.warnings.filter(({ code }) => code === "other_effect").map(({ message }) => message),
    };
  }
}

const cents = (done: JsonObject[]): Json[] => done.map((args) => args.cents as Json);
const pays = (n: number) => `(tool/pay {:cents ${n}})`;
const task = (id: string, body: string) => `(task "${id}" ${body})`;

describe("a recorded task that asks for another effect is given its record", () => {
  test("and the model is told in the same turn, with both calls; so are the Step and the Mission Log", async () => {
    const { done, heard, logs, others } = await mission([
      task("pay", pays(1)),
      task("pay", pays(2)),
      `(return (:args ${task("pay", pays(1))}))`,
    ]);
    expect(cents(done)).toEqual([1]);
    expect(heard[2]).toContain(
      'Note: (task "pay" ...) was recorded with tool/pay {"cents" 1}, and now asks for tool/pay {"cents" 2}: the recorded value was given.',
    );
    expect(others).toEqual([expect.stringContaining('"cents" 2')]);
    expect(logs[2]).toContain('(asked again for tool/pay {"cents":2}: this record stands)');
  });

  test("every conflict of a turn has its line, once", async () => {
    const both = (n: number) => [1, 2, 2].map((i) => task(`pay_${i}`, pays(i * n))).join(" ");
    const { others, heard } = await mission([both(1), both(10), "(return 1)"]);
    expect(others).toEqual([expect.stringContaining('"pay_1"'), expect.stringContaining('"pay_2"')]);
    expect(heard[2]?.match(/Note: /g)).toHaveLength(2);
  });

  test("of very many the ids are told", async () => {
    const all = (n: number) => `(doseq [i (range 40)] (task (str "pay_" i) (tool/pay {:cents (+ ${n} i)})))`;
    const { done, heard, others } = await mission([all(0), all(100), "(return 1)"]);
    expect(done).toHaveLength(40);
    expect(others).toHaveLength(21);
    expect(heard[2]).toContain('So it went with 20 more task(s): "pay_20"');
  });

  test("a task is compared in a turn that fails, too", async () => {
    const { heard } = await mission([task("pay", pays(1)), `(do ${task("pay", pays(2))} (/ 1 nil))`, "(return 1)"]);
    expect(heard[2]).toContain('asks for tool/pay {"cents" 2}');
  });
});

describe("what counts as another effect", () => {
  const ONE = pays(1);
  const TWO = pays(2);
  const LOOKS = "(tool/look {:order 7})";
  const FAILS_FIRST = "(tool/pay {:cents 1 :at_first false})";
  const TRIES_TWICE = `(tool-try ${FAILS_FIRST}) ${FAILS_FIRST}`;

  test.each<[what: string, before: string, now: string, told: RegExp | null]>([
    ["the same calls", `(do ${ONE} ${TWO})`, `(do ${ONE} ${TWO})`, null],
    ["the same calls in another order", `(do ${ONE} ${TWO})`, `(do ${TWO} ${ONE})`, null],
    ["the same calls, in parallel", `(do ${ONE} ${TWO})`, `(pmap #(tool/pay {:cents %}) [2 1])`, null],
    ["fewer calls", `(do ${ONE} ${TWO})`, ONE, null],
    ["one call more", ONE, `(do ${ONE} ${TWO})`, /without a call of tool\/pay {"cents" 2}/],
    ["the same call once more", ONE, `(do ${ONE} ${ONE})`, /without a call of tool\/pay {"cents" 1}/],
    ["a call where there was none", "5", ONE, /without a call of tool\/pay {"cents" 1}/],
    [
      "the second call",
      `(do ${ONE} ${TWO})`,
      `(do ${ONE} ${pays(3)})`,
      /"cents" 2}, and now asks for tool\/pay {"cents" 3}/,
    ],
    [
      "another read",
      `(do ${LOOKS} ${ONE})`,
      `(do (tool/look {:order 8}) ${ONE})`,
      /{"order" 7}, and now asks for tool\/look {"order" 8}/,
    ],
    [
      "an amount from a read",
      `(tool/pay {:cents (:found ${LOOKS})})`,
      `(tool/pay {:cents (* 2 (:found ${LOOKS}))})`,
      /500}.*1000}/,
    ],
    [
      "the same amount from a read",
      `(tool/pay {:cents (:found ${LOOKS})})`,
      `(let [a ${LOOKS}] (tool/pay {:cents (:found a)}))`,
      null,
    ],
    [
      "a call after a failed one",
      `(do (tool-try (tool/pay {:no true})) ${ONE})`,
      `(do (tool-try (tool/pay {:no true})) ${TWO})`,
      /"cents" 1}.*"cents" 2}/,
    ],
    ["a call that had failed, and that the task made again", `(do ${TRIES_TWICE})`, FAILS_FIRST, null],
    ["both calls, and the failure is not caught", `(do ${TRIES_TWICE})`, `[${FAILS_FIRST} ${FAILS_FIRST}]`, null],
    [
      "the same call once more, behind one that had failed",
      `(do ${TRIES_TWICE})`,
      `[${FAILS_FIRST} ${FAILS_FIRST} ${FAILS_FIRST}]`,
      /without a call of tool\/pay {"at_first" false "cents" 1}/,
    ],
    [
      "a call with what the failed call answered at last",
      `(do (tool-try ${FAILS_FIRST}) (tool/pay {:cents (:tx ${FAILS_FIRST})}))`,
      `(tool/pay {:cents (:tx ${FAILS_FIRST})})`,
      null,
    ],
    [
      "another call behind one that had failed",
      `(do ${TRIES_TWICE} ${ONE})`,
      `(do ${FAILS_FIRST} ${TWO})`,
      /"cents" 1}.*"cents" 2}/,
    ],
    [
      "another call behind one that had failed for good, and was caught",
      "(tool-try (tool/pay {:no true}))",
      `(do (tool/pay {:no true}) ${TWO})`,
      /without a call of tool\/pay {"cents" 2}/,
    ],
    [
      "one of the parallel calls",
      "(pmap #(tool/pay {:cents %}) [1 2])",
      "(pmap #(tool/pay {:cents %}) [2 3])",
      /"cents" 1}.*"cents" 3}/,
    ],
    [
      "a call in a loop",
      "(doseq [i [1 2 3]] (tool/pay {:cents i}))",
      "(doseq [i [1 2 4]] (tool/pay {:cents i}))",
      /"cents" 3}.*"cents" 4}/,
    ],
    [
      "a call after an answer that equals the value",
      "(tool/long {})",
      `(do (tool/long {}) ${ONE})`,
      /without a call of tool\/pay/,
    ],
    ["a call after an answer that is not kept", `(do (tool/long {}) ${ONE})`, `(do (tool/long {}) ${TWO})`, null],
    [
      "a call of a task inside",
      task("in", ONE),
      task("in", TWO),
      /\(task "in" ...\) was recorded with tool\/pay {"cents" 1}/,
    ],
    [
      "a new task inside",
      ONE,
      `(do ${ONE} ${task("in", TWO)})`,
      /\(task "in" ...\) is inside a recorded task, and asks for tool\/pay {"cents" 2}/,
    ],
    [
      "a call after a task inside",
      `(do ${task("in", ONE)} ${TWO})`,
      `(do ${task("in", ONE)} ${pays(3)})`,
      /\(task "t" ...\).*"cents" 2}.*"cents" 3}/,
    ],
  ])("%s", async (_, before, now, told) => {
    const { others, done } = await mission([task("t", before), task("t", now), "(return 1)"]);
    const first = await mission([task("t", before), "(return 1)"]);
    expect(others).toEqual(told === null ? [] : [expect.stringMatching(told)]);
    expect(done).toEqual(first.done);
  });

  test("a value that was given or decided from outside is compared with nothing", async () => {
    const { others, step } = await mission([task("given", pays(1)), `(return ${task("given", pays(2))})`], {
      journal: { given: 3 },
    });
    expect(others).toEqual([]);
    expect(step.return).toBe(3);
  });

  test("very deep tasks inside tasks end the comparison, not the program", async () => {
    const program = '(do (defn down [n] (if (= n 0) 0 (task (str "t" n) (down (dec n))))) (down 60))';
    const { step, others } = await mission([program, `(return ${program})`]);
    expect(step.return).toBe(0);
    expect(others).toEqual([]);
  });
});

describe("policies", () => {
  const twice = (given: Given) => mission([task("t", pays(1)), task("t", pays(2)), "(return 1)"], given);

  test("rerun: the body runs, and its value replaces the record", async () => {
    const { done, step, others } = await twice({ agent: { on_other_effect: "rerun" } });
    expect(cents(done)).toEqual([1, 2]);
    expect(step.journal).toMatchObject({ t: { args: { cents: 2 } } });
    expect(others).toEqual([]);
  });

  test("rerun: a call that the record has is not made again", async () => {
    const says = [`(do ${pays(1)} ${pays(2)})`, `(do ${pays(1)} ${pays(3)})`].map((body) => task("t", body));
    const { done } = await mission([...says, "(return 1)"], { agent: { on_other_effect: "rerun" } });
    expect(cents(done)).toEqual([1, 2, 3]);
  });

  test("the tool's own word beats the agent's, and the strictest of the calls holds", async () => {
    const wires = (order: number) => task("t", `(do (tool/look {:order ${order}}) (tool/wire {:cents ${order}}))`);
    const { done, step } = await mission([wires(1), wires(2), "(return (:code (:details data/fail)))"], {
      agent: { on_other_effect: "rerun" },
    });
    expect(cents(done)).toEqual([1]);
    expect(step.return).toBe("other_effect");
  });
});

describe.each([{ pausing: false }, { pausing: true }])("ask (pausing: $pausing)", ({ pausing }) => {
  const asked = (choice: string, second = task("t", pays(2))) =>
    mission([`(do ${task("t", pays(1))} (/ 1 nil))`, `(do ${second} (return ${task("t", pays(2))}))`, "(return 1)"], {
      agent: { on_other_effect: "ask" },
      decisions: [{ choice, by: "anna" }],
      pausing,
    });

  test("use_recorded gives the record, and everybody hears who decided", async () => {
    const { done, step, others } = await asked("use_recorded");
    expect(cents(done)).toEqual([1]);
    expect(step.return).toMatchObject({ args: { cents: 1 } });
    expect(others).toEqual([expect.stringContaining("the recorded value was given, as anna decided")]);
  });

  test("do_now runs the task, and its value replaces the record", async () => {
    const { done, step, others } = await asked("do_now");
    expect(cents(done)).toEqual([1, 2]);
    expect(step.return).toMatchObject({ args: { cents: 2 } });
    expect(others).toEqual([expect.stringContaining("it runs now, as anna decided")]);
  });

  test("reject fails the task", async () => {
    const { done, heard, step } = await asked("reject");
    expect(cents(done)).toEqual([1]);
    expect(heard[2]).toContain("anna said not to do another effect under this task's id");
    expect(step.return).toBe(1);
  });

  test("parallel branches with the same question ask once", async () => {
    const { done } = await asked("do_now", `(pmap (fn [_] ${task("t", pays(2))}) [1 2 3])`);
    expect(cents(done)).toEqual([1, 2]);
  });

  test("a decision about a task holds for the tasks inside it", async () => {
    const outer = (n: number) => task("out", `(do ${task("in", pays(n))} ${pays(n + 1)})`);
    const { done } = await mission([outer(10), `(return ${outer(20)})`], {
      agent: { on_other_effect: "ask" },
      decisions: [{ choice: "do_now", by: "anna" }],
      pausing,
    });
    expect(cents(done)).toEqual([10, 11, 20, 21]);
  });
});

test("the review shows both calls", async () => {
  const { reviews } = await mission([task("t", pays(1)), `(return ${task("t", pays(2))})`], {
    agent: { on_other_effect: "ask" },
    decisions: [{ choice: "use_recorded", by: "anna" }],
  });
  expect(reviews).toHaveLength(1);
  expect(reviews[0]).toMatchObject({
    choices: ["use_recorded", "do_now", "reject"],
    data: { code: "other_effect", task: "t", args: { cents: 2 }, earlier: { tool: "pay", args: { cents: 1 } } },
  });
});

describe("what a task did before it failed, under an id that is not recorded", () => {
  const says = [task("pay", `(do ${pays(1)} (/ 1 nil))`), task("pay", pays(2)), "(return 1)"];

  test("with fail it is not made", async () => {
    const { done, others } = await mission([...says.slice(0, 2), "(return 1)"], { agent: { on_other_effect: "fail" } });
    expect(cents(done)).toEqual([1]);
    expect(others).toHaveLength(1);
  });

  test.each([
    { choice: "do_now", paid: [1, 2] },
    { choice: "reject", paid: [1] },
  ])("with ask a person decides: $choice", async ({ choice, paid }) => {
    for (const pausing of [false, true]) {
      const { done, others } = await mission(says, {
        agent: { on_other_effect: "ask" },
        decisions: [{ choice, by: "anna" }],
        pausing,
      });
      expect(cents(done)).toEqual(paid);
      expect(others).toHaveLength(choice === "do_now" ? 1 : 0);
    }
  });

  test("the same call, or one that comes with it, is no other effect", async () => {
    const { done, others } = await mission([
      task("pay", `(do ${pays(1)} (/ 1 nil))`),
      task("pay", `(do ${pays(1)} ${pays(2)})`),
      "(return 1)",
    ]);
    expect(cents(done)).toEqual([1, 2]);
    expect(others).toEqual([]);
  });
});

describe("a task that is given its record", () => {
  const FAILS = "(/ 1 nil)";

  test("means its effects: the same call elsewhere in the program is another one", async () => {
    const { done } = await mission([
      `(do ${task("a", pays(1))} ${FAILS})`,
      `(do ${task("a", pays(1))} ${task("b", pays(1))} (return 1))`,
    ]);
    expect(cents(done)).toEqual([1, 1]);
  });

  test("runs if another call of the program means its effects: the model renamed it, and then means the old one", async () => {
    const { done } = await mission([
      `(do ${task("old", pays(1))} ${FAILS})`,
      `(do ${task("new", pays(1))} ${task("old", pays(1))} (return 1))`,
    ]);
    expect(cents(done)).toEqual([1, 1]);
  });

  test.each([false, true])("is given it as often as it is met (pausing: %s)", async (pausing) => {
    const loop = `(doseq [_ (range 3)] ${task("a", `(do ${pays(1)} ${pays(1)})`)})`;
    const { done } = await mission([`(do ${loop} ${FAILS})`, `(do ${loop} (return 1))`], { pausing });
    expect(cents(done)).toEqual([1, 1]);
  });
});
