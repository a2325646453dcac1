import { type AgentInput, stepOf } from "../../../src/core/agent/run/run";
import { failed, ok } from "../../../src/core/base/failure";
import type { Json, JsonObject } from "../../../src/core/base/json";
import type { ToolSpec } from "../../../src/core/calls/tool";
import type { EffectEntry } from "../../../src/core/effects/entry";
import { scriptedModel } from "../../../src/models/scripted";
import {
  MemoryHost,
  type MemoryLookup,
  type MemoryTool,
  type ScriptedDecision,
} from "../../../src/simulate/memory-host";
import { agentOf, fenced } from "../agent/run/mission";

/** A service that does what it is told, counts it, and never compares keys: it would pay twice. */
class Service {
  readonly done: { tool: string; args: JsonObject; key: string; task: string | undefined }[] = [];
  /** How each call ends, in order; `lost`: it happens, and nobody hears of it. */
  ends: ("ok" | "fails" | "lost" | "invalid_result" | "result_too_large")[] = [];

  readonly tool: MemoryTool = (args, { name, key, task }) => {
    const end = this.ends.shift() ?? "ok";
    if (end === "fails") return failed("tool_error", "the service said no");
    this.done.push({ tool: name, args, key, task });
    if (end === "invalid_result" || end === "result_too_large")
      return failed("tool_error", "the answer cannot be used", { code: end });
    if (end === "lost") return failed("tool_error", "the answer was lost", { code: "unknown_outcome" });
    return ok({ tx: this.done.length });
  };

  get keys(): string[] {
    return this.done.map(({ key }) => key);
  }
}

const SPECS = {
  pay: { name: "pay", effect: "write" },
  send: { name: "send", effect: "write", repeatable: true },
  wire: { name: "wire", effect: "irreversible" },
  memo: { name: "memo", effect: "write", identity: ["invoice", "cents"] },
  look: { name: "look", effect: "read" },
} satisfies { [name: string]: ToolSpec };

interface Given extends Partial<Omit<AgentInput, "agent">> {
  says: string[];
  tools?: (ToolSpec | JsonObject)[];
  agent?: object;
  decisions?: ScriptedDecision[];
  lookups?: { [name: string]: MemoryLookup };
  ends?: Service["ends"];
  results?: { [tool: string]: Json };
}

async function mission({ says, tools, agent = {}, decisions = [], lookups = {}, ends = [], ...input }: Given) {
  const service = new Service();
  service.ends = ends;
  const specs = tools ?? Object.values(SPECS);
  const names = Object.keys(SPECS);
  const host = new MemoryHost({
    model: scriptedModel(
      says.map((program) => ({ content: fenced(program) })),
      "the test",
    ),
    tools: new Map(names.map((name) => [name, name === "look" ? () => ok(7) : service.tool])),
    lookups: new Map(Object.entries(lookups)),
    decisions,
  });
  const definition = agentOf({ max_turns: 8, ...agent, tools: specs });
  const run = host.open({ context: {}, journal: {}, model: "scripted", ...input, agent: definition });
  const step = await stepOf(run);
  const heard = host.sent.map(({ messages }) => messages.at(-1)?.content ?? "");
  const effects = run.ledger?.entries() as EffectEntry[];
  return { step, service, heard, effects, host };
}

const FAILS = "(/ 1 nil)";
const states = (effects: EffectEntry[]) => effects.map(({ tool, state }) => `${tool} ${state}`);

describe("after a turn that failed the same call is the same effect", () => {
  const twice = (first: string, second: string) => mission({ says: [`(do ${first} ${FAILS})`, `(return ${second})`] });
  const paid = "(tool/pay {:n 1})";

  test.each([
    ["in a task for the first time", paid, `(task "a" ${paid})`],
    ["in a function", paid, `(do (defn f [] ${paid}) (f))`],
    ["in a parallel branch", paid, `(first (pmap (fn [n] (tool/pay {:n n})) [1]))`],
  ])("%s", async (_, first, second) => {
    const { service, step } = await twice(first, second);
    expect(service.done).toHaveLength(1);
    expect(step.return).toEqual({ tx: 1 });
  });

  test("the model and the readers of the Step are told that the answer is the earlier one", async () => {
    const says = [`(do ${paid} ${FAILS})`, paid, "(return 1)"];
    const { heard, step, effects } = await mission({ says });
    expect(heard[2]).toContain("tool/pay was not called: it is done");
    expect(step.warnings[0]).toMatchObject({ code: "same_effect", message: expect.stringContaining("turn 1") });
    expect(effects).toMatchObject([{ state: "done", reused: 1 }]);
  });

  test("equal calls are counted: as many are done as the program means", async () => {
    const { service } = await mission({
      says: [`(do (tool/pay {:n 1}) (tool/pay {:n 1}) ${FAILS})`, `(return [${paid} ${paid} ${paid}])`],
    });
    expect(service.done).toHaveLength(3);
    expect(new Set(service.keys).size).toBe(3);
  });

  test("a call with another amount is another effect", async () => {
    const { service } = await twice(paid, "(tool/pay {:n 2})");
    expect(service.done).toHaveLength(2);
  });

  test("what the tool said that it did not do is done, with the same key", async () => {
    const { service, effects } = await mission({ says: [paid, `(return ${paid})`], ends: ["fails"] });
    expect(service.done).toHaveLength(1);
    expect(states(effects)).toEqual(["pay done"]);
    expect(effects[0]?.key).toBe(service.keys[0]);
  });

  test("a return that does not fit counts as failed", async () => {
    const { service } = await mission({
      says: [`(return (do ${paid} "no"))`, `(return (:tx ${paid}))`],
      agent: { signature: "() -> :int" },
    });
    expect(service.done).toHaveLength(1);
  });
});

describe("after a turn that succeeded a call is a new effect", () => {
  const paid = "(tool/pay {:n 1})";

  test("of a write, and the model is told that it resembles an earlier one", async () => {
    const { service, heard, effects } = await mission({ says: [paid, paid, "(return 1)"] });
    expect(service.done).toHaveLength(2);
    expect(new Set(service.keys).size).toBe(2);
    expect(heard[2]).toContain("an equal call is done");
    expect(effects[1]?.resembles).toBe(effects[0]?.key);
  });

  test("which a later failure does not make the first one again", async () => {
    const { service } = await mission({ says: [paid, `(do ${paid} ${FAILS})`, paid, "(return 1)"] });
    expect(service.done).toHaveLength(2);
  });

  test("of an irreversible tool a person is asked", async () => {
    const wired = "(tool/wire {:n 1})";
    const again = await mission({
      says: [wired, wired, "(return 1)"],
      decisions: [{ choice: "do_again", by: "anna" }],
    });
    expect(again.service.done).toHaveLength(2);
    expect(again.effects[1]).toMatchObject({ by: "anna", resembles: again.effects[0]?.key });
    expect(again.host.reviews[0]?.data).toMatchObject({ code: "same_effect", earlier: { turn: 1 } });

    const earlier = await mission({
      says: [wired, `(return ${wired})`],
      decisions: [{ choice: "use_earlier", by: "anna" }],
    });
    expect(earlier.service.done).toHaveLength(1);
    expect(earlier.step.return).toEqual({ tx: 1 });

    const rejected = await mission({
      says: [wired, wired, "(return 1)"],
      decisions: [{ choice: "reject", by: "anna" }],
    });
    expect(rejected.service.done).toHaveLength(1);
    expect(states(rejected.effects)).toEqual(["wire done", "wire refused"]);
  });

  test("a loop does as many as it means", async () => {
    const { service } = await mission({ says: [`(do (doseq [_ (range 5)] ${paid}) (return 1))`] });
    expect(service.done).toHaveLength(5);
    expect(new Set(service.keys).size).toBe(5);
  });
});

describe("what a tool says about its effects", () => {
  const again = (spec: object, decisions: ScriptedDecision[] = []) =>
    mission({
      says: [`(do (tool/pay {:n 1}) ${FAILS})`, "(return (tool/pay {:n 1}))", "(return 0)"],
      tools: [{ ...SPECS.pay, ...spec }],
      decisions,
    });

  test("repeatable: every call is meant", async () => {
    const { service, step } = await again({ repeatable: true });
    expect(service.done).toHaveLength(2);
    expect(step.warnings).toEqual([]);
  });

  test("on_same_effect: run", async () => {
    const { service, effects } = await again({ on_same_effect: "run" });
    expect(service.done).toHaveLength(2);
    expect(effects[1]?.resembles).toBe(effects[0]?.key);
  });

  test("on_same_effect: fail", async () => {
    const { service, heard } = await again({ on_same_effect: "fail" });
    expect(service.done).toHaveLength(1);
    expect(heard[2]).toContain("it is done already");
  });

  test("on_same_effect: ask", async () => {
    const asked = await again({ on_same_effect: "ask" }, [{ choice: "do_again", by: "ben" }]);
    expect(asked.service.done).toHaveLength(2);
  });

  test("a deliberate second effect: task-reset", async () => {
    const { service, step } = await mission({
      says: ['(task "a" (tool/wire {:n 1}))', '(do (task-reset "a") (return (task "a" (tool/wire {:n 1}))))'],
    });
    expect(service.done).toHaveLength(2);
    expect(new Set(service.keys).size).toBe(2);
    expect(step.fail).toBeNull();
  });
});

test.each([
  [
    "the name stands for another effect",
    '(task "a" (tool/pay {:n 1}))',
    '[(task "a" (tool/pay {:n 2})) (tool/pay {:n 1})]',
    1,
  ],
  [
    "a part of the task moved out of it",
    '(task "a" (do (tool/pay {:n 1}) (tool/pay {:n 1})))',
    '[(task "a" (tool/pay {:n 1})) (tool/pay {:n 1})]',
    2,
  ],
  [
    "the name stands for more, and a call beside it means another one",
    '(task "a" (tool/pay {:n 1}))',
    '[(task "a" (do (tool/pay {:n 2}) (tool/pay {:n 1}))) (tool/pay {:n 1})]',
    2,
  ],
  [
    "a task and a call beside it",
    '(task "a" (tool/pay {:n 1}))',
    '[(tool/pay {:n 1}) (task "a" (tool/pay {:n 1}))]',
    2,
  ],
])("what a recorded task does not ask for any more is open for others: %s", async (_, first, second, times) => {
  const { service } = await mission({ says: [`(do ${first} ${FAILS})`, `(return ${second})`] });
  expect(service.done).toHaveLength(times);
});

test("a record that was made of an earlier answer holds the effect behind it", async () => {
  const { service } = await mission({
    says: [
      `(do (tool/pay {:n 1}) ${FAILS})`,
      `(do (task "a" (tool/pay {:n 1})) ${FAILS})`,
      '(return [(task "a" (tool/pay {:n 1})) (tool/pay {:n 1})])',
    ],
  });
  expect(service.done).toHaveLength(2);
});

test("a reset that a failed program asked for is not asked for again by the next one", async () => {
  const again = '(do (task-reset "a") (task "a" (tool/pay {:n 1})))';
  const { service } = await mission({
    says: ['(task "a" (tool/pay {:n 1}))', `(do ${again} ${FAILS})`, `(return ${again})`],
  });
  expect(service.done).toHaveLength(2);
});

test.each([
  ["asks once, and goes on when it fails", "(tool-try (tool/pay {:n 1}))"],
  ["asks once", "(tool/pay {:n 1})"],
])("a task that made a failed call again means the one that was made, when it %s", async (_, now) => {
  const { service, step } = await mission({
    says: [
      `(do (task "a" [(tool-try (tool/pay {:n 1})) (tool/pay {:n 1})]) ${FAILS})`,
      `(return [(task "a" ${now}) (tool/pay {:n 1})])`,
    ],
    ends: ["fails"],
  });
  expect(service.done).toHaveLength(2);
  expect(step.warnings).toEqual([]);
});

test("an effect that is done is met before one that the service had refused", async () => {
  const { service } = await mission({
    says: [`[(tool-try (tool/pay {:n 1})) (tool/pay {:n 1}) ${FAILS}]`, "(return (tool/pay {:n 1}))"],
    ends: ["fails"],
  });
  expect(service.done).toHaveLength(1);
});

test("a reset of a task that is not recorded yet counts: the program that runs again asks for nothing new", async () => {
  const again = '(do (task-reset "a") (task "a" (tool/pay {:n 1})))';
  const { service } = await mission({ says: [`(do ${again} ${FAILS})`, `(return ${again})`] });
  expect(service.done).toHaveLength(1);
});

const wired = (n: number) => `(task "p" (tool/wire {:n ${n}}))`;
const RESET = '(task-reset "p")';

/** Programs that reset a task, fail and are written again. @param asked how often people are asked about an effect */
test.each<{ what: string; says: string[]; done: number[]; asked: number }>([
  {
    what: "a loop that uses one id again",
    says: [
      `(doseq [n [1 2 "no"]] (do ${RESET} (task "p" (tool/wire {:n (+ n 0)}))))`,
      `(do (doseq [n [1 2 3]] (do ${RESET} (task "p" (tool/wire {:n n})))) (return 1))`,
    ],
    done: [1, 2, 3],
    asked: 2,
  },
  {
    what: "the same loop in another order",
    says: [
      `(doseq [n [1 2 "no"]] (do ${RESET} (task "p" (tool/wire {:n (+ n 0)}))))`,
      `(do (doseq [n [3 1 2]] (do ${RESET} (task "p" (tool/wire {:n n})))) (return 1))`,
    ],
    done: [1, 2, 3],
    asked: 2,
  },
  {
    what: "one effect more than before, ahead of the last",
    says: [
      `(do ${[1, 2, 3].map((n) => `${RESET} ${wired(n)}`).join(" ")} ${FAILS})`,
      `(do ${[1, 2, 4, 3].map((n) => `${RESET} ${wired(n)}`).join(" ")} (return 1))`,
    ],
    done: [1, 2, 3, 4],
    asked: 3,
  },
  {
    what: "the reset is the last that the failed program did",
    says: [`(do ${wired(1)} ${RESET} ${FAILS})`, `(do ${wired(1)} ${RESET} (return 1))`],
    done: [1],
    asked: 1,
  },
  {
    what: "the next program gives the task another name",
    says: [`(do ${wired(1)} ${RESET} ${FAILS})`, '(return (task "q" (tool/wire {:n 1})))'],
    done: [1],
    asked: 1,
  },
  {
    what: "the same effect before and after the reset",
    says: [`(do ${wired(1)} ${RESET} ${wired(1)} ${FAILS})`, `(do ${wired(1)} ${RESET} ${wired(1)} (return 1))`],
    done: [1, 1],
    asked: 1,
  },
  {
    what: "two resets after a program that succeeded",
    says: [
      wired(1),
      `(do ${RESET} ${wired(1)} ${RESET} ${wired(1)} ${FAILS})`,
      `(do ${RESET} ${wired(1)} ${RESET} ${wired(1)} (return 1))`,
    ],
    done: [1, 1, 1],
    asked: 2,
  },
  {
    what: "a reset asks for one more effect, not for two",
    says: [
      wired(1),
      `(do ${RESET} (task "p" (do (tool/wire {:n 1}) ${FAILS})))`,
      '(task "q" (tool/wire {:n 1}))',
      `(return ${wired(1)})`,
    ],
    done: [1, 1],
    asked: 2,
  },
  {
    what: "a reset asks for what the record held, and not for another effect",
    says: [
      `(do ${wired(1)} (task "note" "hello"))`,
      '(do (task-reset "note") (return (task "note" (tool/wire {:n 1}))))',
    ],
    done: [1],
    asked: 1,
  },
])("a reset in a program that fails is counted like its calls: $what", async ({ says, done, asked }) => {
  const decisions = says.flatMap(() => [1, 2, 3].map(() => ({ choice: "use_earlier", by: "anna" })));
  const { service, host, step } = await mission({ says, decisions });
  expect(step.fail).toBeNull();
  expect(service.done.map(({ args }) => args.n).sort()).toEqual(done);
  expect(host.reviews.map(({ title }) => title)).toEqual(Array(asked).fill("Call wire again?"));
});

test("a record that holds the effect of a task inside it means that one: an equal call is another", async () => {
  const outer = '(task "o" (task "in" (tool/pay {:n 1})))';
  for (const [first, second] of [
    [outer, '(task "second" (tool/pay {:n 1}))'],
    ['(task "second" (tool/pay {:n 1}))', outer],
  ]) {
    const { service } = await mission({ says: [`(do ${outer} ${FAILS})`, `(return [${first} ${second}])`] });
    expect(service.done).toHaveLength(2);
  }
});

test("a record does not stand for a call of its task whose outcome was lost: the task runs again", async () => {
  const both = '(return [(tool/pay {:n 1}) (task "a" (tool/pay {:n 1}))])';
  const { service } = await mission({
    says: [`(do (task "a" (tool/pay {:n 1})) ${FAILS})`, both, both],
    ends: ["ok", "lost"],
  });
  const [first, second] = service.keys;
  expect(first).not.toBe(second);
  expect(service.keys).toEqual([first, second, second]);
});

describe("an effect whose outcome is lost", () => {
  const wired = "(return (tool/wire {:n 1}))";
  const lost = (more: Partial<Given>) =>
    mission({ says: [wired, wired], tools: [{ ...SPECS.wire, lookup: true }], ends: ["lost"], ...more });

  test("the tool is asked first: it happened", async () => {
    const { service, step, effects } = await lost({ lookups: { wire: () => ({ state: "found", value: { tx: 99 } }) } });
    expect(service.done).toHaveLength(1);
    expect(step.return).toEqual({ tx: 99 });
    expect(effects).toMatchObject([{ state: "done", by: "lookup", answer: { tx: 99 } }]);
  });

  test("the tool is asked first: it did not happen, and the call is made again with the same key", async () => {
    const { service } = await lost({ lookups: { wire: () => ({ state: "absent" }) } });
    expect(service.keys).toEqual([service.keys[0], service.keys[0]]);
  });

  test.each([
    ["it_happened", { value: { tx: 5 } }, { tx: 5 }, 1],
    ["try_again", {}, { tx: 2 }, 2],
  ])("a person says %s", async (choice, more, value, times) => {
    const { service, step } = await lost({ decisions: [{ choice, by: "anna", ...more }] });
    expect(step.return).toEqual(value);
    expect(service.done).toHaveLength(times);
  });

  test("a person says that it did not happen: the program is told, and may call it again", async () => {
    const { service, effects, heard } = await lost({ decisions: [{ choice: "did_not_happen", by: "anna" }] });
    expect(heard[1]).toContain("anna");
    expect(service.keys).toEqual([service.keys[0], service.keys[0]]);
    expect(states(effects)).toEqual(["wire done"]);
  });

  test("nobody can say: it stays unknown, and no second call is made", async () => {
    const { service, effects, step } = await lost({});
    expect(service.done).toHaveLength(1);
    expect(states(effects)).toEqual(["wire unknown"]);
    expect(step.fail).not.toBeNull();
  });

  test.each(["invalid_result", "result_too_large"] as const)(
    "a tool whose answer cannot be used (%s) may have acted: a person is asked, and it is not called again",
    async (end) => {
      const { service, effects } = await mission({
        says: ["(return (tool/wire {:n 1}))"],
        ends: [end],
        decisions: [{ choice: "it_happened", value: { tx: 1 }, by: "anna" }],
      });
      expect(service.done).toHaveLength(1);
      expect(states(effects)).toEqual(["wire done"]);
    },
  );

  test("that a program caught is not settled by its success", async () => {
    const { service } = await mission({
      says: ["(tool-try (tool/pay {:n 1}))", "(return (tool/pay {:n 1}))"],
      ends: ["lost"],
    });
    expect(service.keys).toEqual([service.keys[0], service.keys[0]]);
  });

  test("of a write the call is made again by the program, with the same key", async () => {
    const paid = "(return (tool/pay {:n 1}))";
    const { service, effects } = await mission({ says: [paid, paid], ends: ["lost"] });
    expect(service.keys).toEqual([service.keys[0], service.keys[0]]);
    expect(states(effects)).toEqual(["pay done"]);
  });
});

describe("agents below a run", () => {
  const called = (program: string) => program;

  async function nested(
    parent: string[],
    child: string[],
    { ends = [], choice, pay = SPECS.pay }: Pick<Given, "ends"> & { choice?: string; pay?: ToolSpec } = {},
  ) {
    const payer = agentOf({ name: "payer", signature: "(n :int) -> :any", max_turns: 3, tools: [pay] });
    const service = new Service();
    service.ends = ends;
    const asked: string[] = [];
    const host = new MemoryHost({
      model: scriptedModel(
        {
          payer: child.map((program) => ({ content: fenced(program) })),
          default: parent.map((program) => ({ content: fenced(called(program)) })),
        },
        "the test",
      ),
      tools: new Map([["pay", service.tool]]),
      decide: ({ title }) => {
        asked.push(title);
        return choice === undefined ? undefined : { choice, by: "anna" };
      },
    });
    const agent = agentOf({ max_turns: 6, tools: [pay, { name: "payer", description: "pays", agent: payer }] });
    const run = host.open({ agent, context: {}, journal: {}, model: "scripted" });
    const step = await stepOf(run);
    return { service, step, asked, effects: run.ledger?.entries() ?? [] };
  }

  test("the program failed after the agent: asked again, it does nothing again", async () => {
    const { service, effects } = await nested(
      [`(do (tool/payer {:n 1}) ${FAILS})`, "(return (tool/payer {:n 1}))"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(1);
    expect(effects).toMatchObject([{ lane: "0.payer.1", state: "done", reused: 1 }]);
  });

  test("the agent paid, and the program pays itself after its failure", async () => {
    const { service } = await nested(
      [`(do (tool/payer {:n 1}) ${FAILS})`, "(return (tool/pay {:n 1}))"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(1);
  });

  test("the program paid, and asks an agent to after its failure", async () => {
    const { service } = await nested(
      [`(do (tool/pay {:n 1}) ${FAILS})`, "(return (tool/payer {:n 1}))"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(1);
  });

  const OUTSIDE = "(tool/payer {:n 1})";
  const IN_TASK = `(task "k" ${OUTSIDE})`;

  test.each([
    ["the task, then the agent", IN_TASK, OUTSIDE],
    ["the agent, then the task", OUTSIDE, IN_TASK],
    ["the task, then the program itself", IN_TASK, "(tool/pay {:n 1})"],
    ["the program itself, then the task", "(tool/pay {:n 1})", IN_TASK],
    ["the task, then the agent in another task", IN_TASK, `(task "j" ${OUTSIDE})`],
    ["the agent in another task, then the task", `(task "j" ${OUTSIDE})`, IN_TASK],
  ])("a record that is made of an agent's answer means what the agent did: %s", async (_, first, second) => {
    const { service } = await nested(
      [`(do ${IN_TASK} ${FAILS})`, `(return [${first} ${second}])`],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(2);
  });

  test("a task that an agent works for is recorded once, however often it stands in the program", async () => {
    const { service } = await nested(
      [`(do ${IN_TASK} ${IN_TASK} ${FAILS})`, `(return [${IN_TASK} ${IN_TASK}])`],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(1);
  });

  test("two agents beside each other pay twice, and again the same two", async () => {
    const both = "[(tool/payer {:n 1}) (tool/payer {:n 1})]";
    const { service } = await nested(
      [`(do ${both} ${FAILS})`, `(return ${both})`],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(2);
    expect(new Set(service.keys).size).toBe(2);
  });

  test("what the agent met of its caller's effects is no longer free for the caller (P3)", async () => {
    const { service } = await nested(
      [`(do (tool/pay {:n 1}) ${FAILS})`, "(return [(tool/payer {:n 1}) (tool/pay {:n 1}) (tool/pay {:n 1})])"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(3);
  });

  test("an agent is refused what its caller has done: the caller's own next call is another effect", async () => {
    const once = { ...SPECS.pay, on_same_effect: "fail" as const };
    const { service } = await nested(
      [`(do (tool/pay {:n 1}) ${FAILS})`, "(do (tool/payer {:n 1}) (return (tool/pay {:n 1})))"],
      ['(return (get (get (tool-try (tool/pay {:n data/n})) :error) :code "none"))'],
      { pay: once },
    );
    expect(service.done).toHaveLength(2);
  });

  test("an agent is given the answer of a settled effect: its caller is, too", async () => {
    const once = { ...SPECS.pay, on_same_effect: "reuse" as const };
    const { service } = await nested(
      ["(tool/pay {:n 1})", "(return [(tool/payer {:n 1}) (tool/pay {:n 1})])"],
      ["(return (tool/pay {:n data/n}))"],
      { pay: once },
    );
    expect(service.done).toHaveLength(1);
  });

  test("an agent's next run has other numbers than what its caller means of the earlier one", async () => {
    const { service } = await nested(
      [`(do (tool/payer {:n 1}) ${FAILS})`, "(return [(tool/pay {:n 1}) (tool/payer {:n 1})])"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(2);
    expect(new Set(service.keys).size).toBe(2);
  });

  test("what an agent did and does not ask for again is free for its caller", async () => {
    const { service } = await nested(
      [`(do (tool/payer {:n 1}) ${FAILS})`, "(return [(tool/payer {:n 2}) (tool/pay {:n 1})])"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(2);
  });

  const BESIDE = "(return (pmap (fn [n] (tool/payer {:n n})) [1 1]))";

  test("two agents beside each other make what the service had refused before, each its own", async () => {
    const { service } = await nested(["(tool/pay {:n 1})", BESIDE], ["(return (tool/pay {:n data/n}))"], {
      ends: ["fails"],
    });
    expect(service.done).toHaveLength(2);
    expect(new Set(service.keys).size).toBe(2);
  });

  test.each([
    ["do_again", 2],
    ["use_earlier", 1],
  ])(
    "of two agents beside each other that ask for a lost effect one is asked whether it means the same: %s",
    async (choice, effects) => {
      const { service, asked } = await nested(["(tool/pay {:n 1})", BESIDE], ["(return (tool/pay {:n data/n}))"], {
        ends: ["lost"],
        choice,
      });
      expect(asked).toEqual(["Call pay again?"]);
      expect(service.done).toHaveLength(3);
      expect(new Set(service.keys).size).toBe(effects);
    },
  );

  test("two agents beside each other that were given one answer stand for two effects", async () => {
    const paid = "(tool/pay {:n 1})";
    const { service, asked } = await nested(
      [`[${paid} ${paid} ${FAILS}]`, "(pmap (fn [n] (tool/payer {:n n})) [1 1])", `(return ${paid})`],
      ["(return (tool/pay {:n data/n}))"],
      { choice: "use_earlier" },
    );
    expect(asked).toEqual(["Call pay again?"]);
    expect(service.done).toHaveLength(3);
  });

  test("an agent and its caller beside each other pay twice", async () => {
    const { service } = await nested(
      ["(return [(tool/payer {:n 1}) (tool/pay {:n 1})])"],
      ["(return (tool/pay {:n data/n}))"],
    );
    expect(service.done).toHaveLength(2);
  });
});
