import type { Json, JsonObject } from "../../../src/core/base/json";
import type { Script } from "../../../src/models/scripted";
import { fenced } from "../../core/agent/run/mission";

/**
 * The faults E1 to E9 as data: situations in which effects were once done twice, or not at all, in silence. Every host
 * runs the same table (test/core/effects/faults.test.ts, test/workflows/effects/faults.test.ts).
 */
export interface EffectFault {
  title: string;
  mission: FaultyMission;
  /** What people decide, in the order in which they are asked. */
  decisions?: string[];
  /** All that the service did, in order: tool and `n`. */
  done: string[];
  /** The warnings of all Steps, in order: the code, and a part of the text. */
  told?: [code: "same_effect" | "other_effect", part: string][];
  /** The codes of the reviews in which a person is asked about an effect. */
  asked?: string[];
  /** A part of what a model was told in a message. */
  heard?: string;
  /** A part of a Mission Log that a model was shown. */
  logged?: string;
  /** What the agent returned. */
  returned?: Json;
  /** What the ledger says of each effect, in order: `pay 1 done`, and then `reused` and `resembles`. */
  ledger: string[];
}

/** What runs: an agent with all tools of the service, a plan with them, or a task on a graph with an agent at its steps. */
export type FaultyMission = AgentMission | PlanMission | TaskMission;

export interface AgentMission {
  kind: "agent";
  script: Script;
  /** What its definition says besides. */
  agent?: object;
}

export interface PlanMission {
  kind: "plan";
  /** The programs of its tasks, by id. */
  tasks: { [id: string]: string };
  /** The tasks of the plan that repairs it. */
  repaired: { [id: string]: string };
  /** Given: the plan's agents have journals. */
  journal?: { [task_id: string]: JsonObject };
}

export interface TaskMission {
  kind: "task";
  nodes: { [id: string]: object };
  edges: object[];
  /** What the agents say in each of their runs, by name. */
  script: { [agent: string]: string[] };
}

const FAILS = "(/ 1 nil)";
const pay = (n: number) => `(tool/pay {:n ${n}})`;
const wire = (n: number) => `(tool/wire {:n ${n}})`;
const reworded = (memo: string) => `(tool/wire {:n 1 :memo "${memo}"})`;
const task = (id: string, body: string) => `(task "${id}" ${body})`;
/** An agent that runs these programs, one in each turn. */
const agent = (programs: string[], definition: object = {}): AgentMission => ({
  kind: "agent",
  script: programs.map(fenced),
  agent: definition,
});
/** The first program fails behind these forms, and the second one returns. */
const afterFailure = (first: string, second: string): AgentMission =>
  agent([`(do ${first} ${FAILS})`, `(return ${second})`]);

const PAYER = {
  name: "payer",
  prompt: "Pay.",
  signature: "(n :int) -> :any",
  max_turns: 2,
  tools: [{ name: "pay", effect: "write" }],
};
const REUSED = { name: "pay", effect: "write", on_same_effect: "reuse" };
const LOOKS_AND_PAYS = (n: number) => task("pay", `(do (tool/look {:order 7}) ${pay(n)})`);
const memo = (n: number, text: string) => `(tool/memo {:n ${n} :text "${text}"})`;

export const EFFECT_FAULTS: EffectFault[] = [
  {
    title: "E1: equal payments in tasks whose names look like keys are all made, each with a key of its own",
    mission: agent([
      `(do ${task("pay", `(do ${pay(1)} ${pay(1)})`)}
           ${task("pay/2", pay(1))}
           ${pay(1)}
           ${task("1/1", pay(1))}
           ${task("pay#1", pay(1))}
           (task-reset "pay")
           ${task("pay", pay(1))}
           (return 1))`,
    ]),
    done: Array.from({ length: 7 }, () => "pay 1"),
    ledger: Array.from({ length: 7 }, () => "pay 1 done"),
  },
  {
    title: "E1: a task that is called like the place of an agent shares no key with that agent",
    mission: {
      kind: "agent",
      script: {
        default: [fenced(`(do ${task("0.payer.1/1", pay(1))} (tool/payer {:n 1}) (return 1))`)],
        payer: [fenced(`(return ${task("1", "(tool/pay {:n data/n})")})`)],
      },
      agent: { tools: [...PAYER.tools, { name: "payer", description: "pays", agent: PAYER }] },
    },
    done: ["pay 1", "pay 1"],
    ledger: ["pay 1 done", "pay 1 done"],
  },
  {
    title: "E2: the calls of a task that failed are not made again in another order",
    mission: afterFailure(
      task("t", `(do ${pay(1)} (tool/ship {:n 2}) ${FAILS})`),
      task("t", `(do (tool/ship {:n 2}) ${pay(1)})`),
    ),
    done: ["pay 1", "ship 2"],
    told: [
      ["same_effect", "tool/ship"],
      ["same_effect", "tool/pay"],
    ],
    ledger: ["pay 1 done reused", "ship 2 done reused"],
  },
  {
    title: "E2: a payment that the other order means once more is made once more",
    mission: afterFailure(
      task("t", `(do ${pay(1)} (tool/ship {:n 2}) ${FAILS})`),
      task("t", `(do (tool/ship {:n 2}) ${pay(1)} ${pay(1)})`),
    ),
    done: ["pay 1", "ship 2", "pay 1"],
    told: [
      ["same_effect", "tool/ship"],
      ["same_effect", "tool/pay"],
    ],
    ledger: ["pay 1 done reused", "ship 2 done reused", "pay 1 done"],
  },
  {
    title: "E3: another amount under the id of a task that failed is a payment with its own key, and both are told",
    mission: agent([task("pay", `(do ${pay(1)} ${FAILS})`), task("pay", pay(2)), "(return 1)"]),
    done: ["pay 1", "pay 2"],
    told: [["other_effect", '(task "pay" ...) now asks for tool/pay {"n" 2}; tool/pay {"n" 1} is done']],
    heard: '(task "pay" ...) now asks for tool/pay {"n" 2}; tool/pay {"n" 1} is done',
    logged: 'pay: {"tx" 2} (tool/pay {"n" 1} is done (turn 1, task pay), and was not recorded)',
    ledger: ["pay 1 done", "pay 2 done"],
  },
  {
    title: "E4: the same payment under another id, after a program that failed, is not made again",
    mission: agent([`(do ${task("a", pay(1))} ${FAILS})`, task("b", pay(1)), "(return 1)"]),
    done: ["pay 1"],
    told: [["same_effect", "tool/pay"]],
    heard: "tool/pay was not called: it is done",
    ledger: ["pay 1 done reused"],
  },
  {
    title: "E4: the same payment outside of any task is not made again",
    mission: afterFailure(task("a", pay(1)), pay(1)),
    done: ["pay 1"],
    told: [["same_effect", "tool/pay"]],
    returned: { tx: 1 },
    ledger: ["pay 1 done reused"],
  },
  {
    title: "E4: the same payment under another id, when it was meant twice, is made twice, and the model is told",
    mission: agent([task("a", pay(1)), task("b", pay(1)), "(return 1)"]),
    done: ["pay 1", "pay 1"],
    told: [["same_effect", "tool/pay"]],
    heard: "an equal call is done",
    ledger: ["pay 1 done", "pay 1 done resembles"],
  },
  {
    title: "E4: the same irreversible payment under another id is asked about, and not made again",
    mission: afterFailure(task("a", wire(1)), task("b", wire(1))),
    decisions: ["use_earlier"],
    done: ["wire 1"],
    told: [["same_effect", "tool/wire"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done reused"],
  },
  {
    title: "E4: the same irreversible payment is made twice when a person says that it was meant twice",
    mission: agent([task("a", wire(1)), `(return ${task("b", wire(1))})`]),
    decisions: ["do_again"],
    done: ["wire 1", "wire 1"],
    told: [["same_effect", "tool/wire"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done", "wire 1 done resembles"],
  },
  {
    title: "E4: an irreversible payment in other words, under another id, is asked about, and not made again",
    mission: afterFailure(task("a", reworded("for June")), task("b", reworded("June, as agreed"))),
    decisions: ["use_earlier"],
    done: ["wire 1"],
    told: [["same_effect", "tool/wire was not called"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done reused"],
  },
  {
    title: "E4: an irreversible payment in other words, after a program that succeeded, is made if a person says so",
    mission: agent([task("a", reworded("for June")), `(return ${task("b", reworded("June again"))})`]),
    decisions: ["do_again"],
    done: ["wire 1", "wire 1"],
    told: [["same_effect", "tool/wire was called again"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done", "wire 1 done resembles"],
  },
  {
    title: "E4: a record that is given for other words stands for its payment, and nobody is asked about the next one",
    mission: afterFailure(
      task("a", reworded("for June")),
      `[${task("a", reworded("June, as agreed"))} ${reworded("for July")}]`,
    ),
    done: ["wire 1", "wire 1"],
    told: [["other_effect", '(task "a" ...)']],
    ledger: ["wire 1 done", "wire 1 done"],
  },
  {
    title: "E4: a record in other words is not given when a person took its payment for another call of the program",
    mission: afterFailure(
      task("a", reworded("for June")),
      `[${reworded("for July")} ${task("a", reworded("June, as agreed"))}]`,
    ),
    decisions: ["use_earlier"],
    done: ["wire 1", "wire 1"],
    told: [["same_effect", "tool/wire was not called"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done reused", "wire 1 done"],
  },
  {
    title: "E4: a record of a payment that a person found in other words stands for that payment",
    mission: agent([
      `(do ${reworded("for June")} ${FAILS})`,
      `(do ${task("a", reworded("June"))} ${FAILS})`,
      `(return [${task("a", reworded("June"))} ${reworded("for July")}])`,
    ]),
    decisions: ["use_earlier"],
    done: ["wire 1", "wire 1"],
    told: [["same_effect", "tool/wire was not called"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done reused", "wire 1 done"],
  },
  {
    title: "E4: of two parallel payments in other words only one is found to be the earlier one",
    mission: afterFailure(
      reworded("for June"),
      `(pcalls (fn [] ${reworded("June, as agreed")}) (fn [] ${reworded("for July")}))`,
    ),
    decisions: ["use_earlier"],
    done: ["wire 1", "wire 1"],
    told: [["same_effect", "tool/wire was not called"]],
    asked: ["same_effect"],
    ledger: ["wire 1 done reused", "wire 1 done"],
  },
  {
    title: "E4: of two parallel payments in other words the second is asked about when the first was another one",
    mission: afterFailure(
      reworded("for June"),
      `(pcalls (fn [] ${reworded("for July")}) (fn [] ${reworded("June, as agreed")}))`,
    ),
    decisions: ["do_again", "use_earlier"],
    done: ["wire 1", "wire 1"],
    told: [
      ["same_effect", "tool/wire was called again"],
      ["same_effect", "tool/wire was not called"],
    ],
    asked: ["same_effect", "same_effect"],
    ledger: ["wire 1 done reused", "wire 1 done resembles"],
  },
  {
    title: "E4: two payments in other words that one program asks for are two",
    mission: agent([`(return [${reworded("for June")} ${reworded("for July")}])`]),
    done: ["wire 1", "wire 1"],
    ledger: ["wire 1 done", "wire 1 done"],
  },
  {
    title: "E5: a task that is run again for another payment, and back, makes each payment once",
    mission: agent([...[1, 2, 1, 2].map((n) => task("t", pay(n))), "(return 1)"], { on_other_effect: "rerun" }),
    done: ["pay 1", "pay 2"],
    told: [
      ["same_effect", "tool/pay was not called: it is done (turn 1"],
      ["same_effect", "tool/pay was not called: it is done (turn 2"],
    ],
    ledger: ["pay 1 done reused", "pay 2 done reused"],
  },
  {
    title: "E6: a task of a plan that paid and then failed does not pay again when the plan is repaired",
    mission: {
      kind: "plan",
      tasks: { pay: `(do ${task("charge", pay(1))} ${FAILS})` },
      repaired: { pay: `(return ${task("charge", pay(1))})` },
    },
    done: ["pay 1"],
    told: [["same_effect", "tool/pay"]],
    ledger: ["pay 1 done reused"],
  },
  {
    title: "E6: in a plan with journals it is given its record instead, and nobody needs to be told",
    mission: {
      kind: "plan",
      tasks: { pay: `(do ${task("charge", pay(1))} ${FAILS})` },
      repaired: { pay: `(return ${task("charge", pay(1))})` },
      journal: {},
    },
    done: ["pay 1"],
    ledger: ["pay 1 done"],
  },
  {
    title: "E6: nor does it when the repaired plan gives it another id",
    mission: {
      kind: "plan",
      tasks: { pay: `(do ${task("charge", pay(1))} ${FAILS})` },
      repaired: { settle: `(return ${pay(1)})` },
    },
    done: ["pay 1"],
    told: [["same_effect", "tool/pay"]],
    ledger: ["pay 1 done reused"],
  },
  {
    title: "E6: a payment that the repaired plan means once more is made once more",
    mission: {
      kind: "plan",
      tasks: { pay: `(do ${pay(1)} ${FAILS})` },
      repaired: { pay: `(return [${pay(1)} ${pay(1)}])` },
    },
    done: ["pay 1", "pay 1"],
    told: [["same_effect", "tool/pay"]],
    ledger: ["pay 1 done reused", "pay 1 done"],
  },
  {
    title: "E7: a recorded task that looks first and then pays another amount is given its record, and that is told",
    mission: agent([LOOKS_AND_PAYS(500), LOOKS_AND_PAYS(90_000), "(return 1)"]),
    done: ["pay 500"],
    told: [["other_effect", 'with tool/pay {"n" 500}, and now asks for tool/pay {"n" 90000}']],
    heard: 'with tool/pay {"n" 500}, and now asks for tool/pay {"n" 90000}: the recorded value was given',
    logged: 'pay: {"tx" 1} (asked again for tool/pay {"n":90000}: this record stands)',
    ledger: ["pay 500 done"],
  },
  {
    title: "E7: with on_other_effect: fail it fails, and pays nothing",
    mission: agent([LOOKS_AND_PAYS(500), LOOKS_AND_PAYS(90_000), "(return (:code (:details data/fail)))"], {
      on_other_effect: "fail",
    }),
    done: ["pay 500"],
    told: [],
    heard: 'now asks for tool/pay {"n" 90000}. Use another id',
    returned: "other_effect",
    ledger: ["pay 500 done"],
  },
  {
    title: "E7: with on_other_effect: rerun both amounts are paid",
    mission: agent([LOOKS_AND_PAYS(500), LOOKS_AND_PAYS(90_000), "(return 1)"], { on_other_effect: "rerun" }),
    done: ["pay 500", "pay 90000"],
    ledger: ["pay 500 done", "pay 90000 done"],
  },
  {
    title: "E8: with a reworded memo it is the same effect",
    mission: afterFailure(memo(5, "for you"), memo(5, "as agreed")),
    done: ["memo 5"],
    told: [["same_effect", "tool/memo"]],
    ledger: ["memo 5 done reused"],
  },
  {
    title: "E8: a recorded task with a reworded memo is given its record, and nobody needs to be told",
    mission: agent([task("m", memo(5, "for you")), task("m", memo(5, "as agreed")), "(return 1)"]),
    done: ["memo 5"],
    ledger: ["memo 5 done"],
  },
  {
    title: "E8: the same memo with another amount is another effect",
    mission: afterFailure(memo(5, "for you"), memo(6, "for you")),
    done: ["memo 5", "memo 6"],
    ledger: ["memo 5 done", "memo 6 done"],
  },
  {
    title: "E9: a step that a gate sends back does not charge again, and its agent is told",
    mission: {
      kind: "task",
      nodes: {
        start: { type: "start" },
        work: { type: "task", name: "Work", agent: "worker" },
        check: { type: "gate", name: "Is it right?" },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "work" },
        { from: "work", to: "check", on: "passed" },
        { from: "check", to: "done", on: "passed" },
        { from: "check", to: "work", on: "failed" },
      ],
      script: { worker: [task("charge_42", pay(42)), '(return {:outcome "passed"})'] },
    },
    decisions: ["failed", "passed"],
    done: ["pay 42"],
    told: [["same_effect", "tool/pay"]],
    heard: "tool/pay was not called: it is done",
    ledger: ["pay 42 done reused"],
  },
  {
    title: "E9: a step that the graph leads back to on purpose charges again",
    mission: {
      kind: "task",
      nodes: {
        start: { type: "start" },
        work: { type: "task", name: "Work", agent: "worker" },
        more: { type: "task", name: "One more?", agent: "counter", outputs: ["again", "passed"] },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "work" },
        { from: "work", to: "more", on: "passed" },
        { from: "more", to: "work", on: "again" },
        { from: "more", to: "done", on: "passed" },
      ],
      script: {
        worker: [`(do ${pay(42)} (return {:round (if data/steps 2 1)}))`],
        counter: ['(return {:outcome (if (= (:round (:work data/steps)) 1) "again" "passed")})'],
      },
    },
    done: ["pay 42", "pay 42"],
    told: [["same_effect", "tool/pay was called again"]],
    ledger: ["pay 42 done", "pay 42 done resembles"],
  },
  {
    title: "E3: a record that a failed attempt at a step left is not given for another amount in silence",
    mission: {
      kind: "task",
      nodes: {
        start: { type: "start" },
        work: { type: "task", name: "Work", agent: "worker", maxRetries: 2 },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "work" },
        { from: "work", to: "done", on: "passed" },
        { from: "work", to: "work", on: "failed" },
      ],
      script: {
        worker: [
          task("charge_42", "(tool/pay {:n (if data/steps 43 42)})"),
          '(return {:outcome (if data/steps "passed" "failed")})',
        ],
      },
    },
    done: ["pay 42"],
    told: [["other_effect", 'tool/pay {"n" 43}']],
    ledger: ["pay 42 done"],
  },
  {
    title: "E6: a record that the failed plan left is not given for another amount in silence",
    mission: {
      kind: "plan",
      tasks: { pay: `(do ${task("charge", pay(1))} ${FAILS})` },
      repaired: { pay: `(return ${task("charge", pay(2))})` },
      journal: {},
    },
    done: ["pay 1"],
    told: [["other_effect", 'tool/pay {"n" 2}']],
    ledger: ["pay 1 done"],
  },
  {
    title: "E9: another amount under the same task id, in a step that a gate sends back, is told",
    mission: {
      kind: "task",
      nodes: {
        start: { type: "start" },
        work: { type: "task", name: "Work", agent: "worker" },
        check: { type: "gate", name: "Is it right?" },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "work" },
        { from: "work", to: "check", on: "passed" },
        { from: "check", to: "done", on: "passed" },
        { from: "check", to: "work", on: "failed" },
      ],
      script: { worker: [task("charge_42", "(tool/pay {:n (if data/steps 43 42)})"), '(return {:outcome "passed"})'] },
    },
    decisions: ["failed", "passed"],
    done: ["pay 42", "pay 43"],
    told: [["other_effect", 'tool/pay {"n" 42} is done']],
    ledger: ["pay 42 done", "pay 43 done"],
  },
  {
    title: "E4: the same payment by an agent below, after a program that succeeded, resembles the earlier one",
    mission: {
      kind: "agent",
      script: {
        default: [pay(1), "(tool/payer {:n 1})", "(return 1)"].map(fenced),
        payer: [fenced("(return (tool/pay {:n data/n}))")],
      },
      agent: { tools: [...PAYER.tools, { name: "payer", description: "pays", agent: PAYER }] },
    },
    done: ["pay 1", "pay 1"],
    told: [["same_effect", "tool/pay"]],
    ledger: ["pay 1 done", "pay 1 done resembles"],
  },
  {
    title: "E4: on_same_effect: reuse holds for the same payment by an agent below, after a program that succeeded",
    mission: {
      kind: "agent",
      script: {
        default: [pay(1), "(tool/payer {:n 1})", "(return 1)"].map(fenced),
        payer: [fenced("(return (tool/pay {:n data/n}))")],
      },
      agent: { tools: [REUSED, { name: "payer", description: "pays", agent: { ...PAYER, tools: [REUSED] } }] },
    },
    done: ["pay 1"],
    told: [["same_effect", "tool/pay"]],
    ledger: ["pay 1 done reused"],
  },
  {
    title: "E4: the same payment in the next step of a graph resembles the earlier one",
    mission: {
      kind: "task",
      nodes: {
        start: { type: "start" },
        one: { type: "task", name: "One", agent: "worker" },
        two: { type: "task", name: "Two", agent: "worker" },
        done: { type: "end", result: "success" },
      },
      edges: [
        { from: "start", to: "one" },
        { from: "one", to: "two", on: "passed" },
        { from: "two", to: "done", on: "passed" },
      ],
      script: { worker: [`(return ${task("pay", pay(1))})`] },
    },
    done: ["pay 1", "pay 1"],
    told: [["same_effect", "tool/pay"]],
    ledger: ["pay 1 done", "pay 1 done resembles"],
  },
];
