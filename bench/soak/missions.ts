import { setTimeout as sleep } from "node:timers/promises";
import type { NavigatorClient } from "../../src/client/client";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { NavigatorError } from "../../src/core/base/navigator-error";
import { parseDefinition } from "../../src/core/graph/definition/parse";
import { newTask } from "../../src/core/graph/task/task";

/** What the soak starts. Each kind knows what its missions must give, and which charges they must make. */

export type KindName =
  | "pay"
  | "refund"
  | "parked"
  | "research"
  | "graph"
  | "plan"
  | "late"
  | "fails"
  | "dear"
  | "holds"
  | "ships";

interface Kind {
  /** Parts that are charged. */
  charges: number[];
  /** Gives what is wrong with the result, or null. Started twice with one id it is one mission. */
  run(client: NavigatorClient, id: string, n: number): Promise<string | null>;
}

function agentOf(name: string, more: object) {
  const parsed = parseAgent({ name, prompt: "Do what the shop needs for {{n}}.", max_turns: 4, ...more });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}

/** A mission of one agent. @param expected of `return` */
function agentKind(
  name: string,
  tools: string[],
  charges: number[],
  expected: (n: number) => unknown,
  more = {},
): Kind {
  const agent = agentOf(name, { tools, signature: "(n :int) -> :any", ...more });
  return {
    charges,
    run: async (client, id, n) => {
      const mission = await client.startAgent({ id, agent, model: "scripted", context: { n } });
      const step = await mission.result();
      const got = step.fail === null ? step.return : { failed: step.fail.reason };
      return wrong(got, expected(n));
    },
  };
}

const GRAPH = {
  id: "soak-order",
  nodes: {
    start: { type: "start", name: "Start" },
    pay: { type: "task", name: "Pay", agent: "step" },
    check: { type: "gate", name: "Right?", description: "Look at the order." },
    done: { type: "end", result: "success", name: "Done" },
    rejected: { type: "end", result: "cancelled", name: "Rejected" },
  },
  edges: [
    { from: "start", to: "pay" },
    { from: "pay", to: "check", on: "passed" },
    { from: "pay", to: "rejected", on: "failed" },
    { from: "check", to: "done", on: "passed" },
    { from: "check", to: "rejected", on: "failed" },
  ],
};

const graph: Kind = {
  charges: [1],
  run: async (client, id, n) => {
    const parsed = parseDefinition(GRAPH);
    if (!parsed.ok) throw new Error(parsed.fail.message);
    const { definition } = parsed.value;
    const agents = { step: agentOf("step", { tools: ["charge"], signature: "(n :int) -> {outcome :string}" }) };
    const task = newTask({ id, issueId: id, workflowType: GRAPH.id, context: { n } }, definition, Date.now());
    const handle = await client.startTask({ task, definition, agents, model: "scripted" });
    return wrong((await handle.result()).status, "COMPLETED");
  },
};

const plan: Kind = {
  charges: [],
  run: async (client, id, n) => {
    const tasks = [
      { id: "a", agent: "direct", input: `(+ ${n} 1)` },
      { id: "ok", type: "human_review", input: "Go on?", depends_on: ["a"] },
      { id: "b", agent: "direct", input: '(* 2 (get data/results "a"))', depends_on: ["a", "ok"] },
    ];
    const end = await (await client.startPlan({ id, plan: { tasks } })).result();
    return wrong("results" in end ? end.results.b : end, 2 * (n + 1));
  },
};

const same = (n: number) => ({ n });
const SUM = (to: number) => (to * (to - 1)) / 2;

export const KINDS: { [K in KindName]: Kind } = {
  pay: agentKind("pay", ["charge"], [1, 2], same),
  refund: agentKind("refund", ["refund"], [1], same),
  parked: agentKind("parked", ["charge"], [1], same),
  research: agentKind("research", ["look"], [], (n) => ({ n, sum: SUM(20) })),
  graph,
  plan,
  late: agentKind("late", ["late"], [], same),
  fails: agentKind("fails", [], [], () => ({ failed: "no_luck" })),
  dear: agentKind("dear", [], [], same),
  holds: agentKind("holds", ["hold"], [], (n) => ({ n, sum: SUM(60) }), { pmap_max_concurrency: 60 }),
  ships: agentKind("ships", ["ship"], [1], same),
};

/** Kinds that are started all the time. */
export const USUAL: readonly KindName[] = ["pay", "refund", "parked", "research", "graph", "plan"];

/** One mission, from its start to its end. */
export interface Mission {
  id: string;
  kind: KindName;
  n: number;
  started: number;
  ended: number | null;
  /** What is wrong with its end. */
  problem: string | null;
}

/** All missions that were started. */
export class Missions {
  readonly all: Mission[] = [];
  private readonly running = new Set<Promise<void>>();
  private givenUp = false;

  constructor(
    private readonly client: NavigatorClient,
    /** Tells this soak's ids from those of another one. */
    private readonly name: string,
  ) {}

  start(kind: KindName): Promise<void> {
    const n = this.all.length + 1;
    const mission: Mission = { id: `${this.name}-${n}`, kind, n, started: Date.now(), ended: null, problem: null };
    this.all.push(mission);
    const run = this.follow(mission).finally(() => this.running.delete(run));
    this.running.add(run);
    return run;
  }

  /** `7/1` for each charge that must have been made. */
  charges(): Set<string> {
    return new Set(this.all.flatMap(({ kind, n }) => KINDS[kind].charges.map((part) => `${n}/${part}`)));
  }

  /** Waits for the ends of all. */
  async settle(limitMs: number): Promise<void> {
    const late = sleep(limitMs, undefined, { ref: false }).then(() => {
      this.givenUp = true;
    });
    await Promise.race([Promise.all(this.running), late]);
  }

  judge(): string[] {
    return this.all.flatMap(({ id, kind, ended, problem }) =>
      ended === null
        ? [`${kind} ${id} has not ended`]
        : problem === null
          ? []
          : [`${kind} ${id} ended with ${problem}`],
    );
  }

  private async follow(mission: Mission): Promise<void> {
    const { kind, id, n } = mission;
    while (!this.givenUp) {
      try {
        mission.problem = await KINDS[kind].run(this.client, id, n);
        mission.ended = Date.now();
        return;
      } catch (error) {
        // The server, or all workers, may be away. What was started is found again by its id.
        if (error instanceof NavigatorError && !PASSING.has(error.code)) {
          mission.problem = `${error.code}: ${error.message}`;
          mission.ended = Date.now();
          return;
        }
        await sleep(1_000);
      }
    }
  }
}

/** Errors that pass when the server, or a worker, is back. */
const PASSING: ReadonlySet<string> = new Set(["server_error", "no_worker", "temporal_unavailable"]);

function wrong(got: unknown, expected: unknown): string | null {
  const [is, should] = [JSON.stringify(got), JSON.stringify(expected)];
  return is === should ? null : `${is?.slice(0, 300)}, not ${should}`;
}
