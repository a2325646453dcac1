import fc from "fast-check";
import type { Step } from "../../../../src/core/agent/result/step";
import type { Json } from "../../../../src/core/base/json";
import { type PlanOptions, parsePlanOptions } from "../../../../src/core/plan/definition/options";
import type { Plan } from "../../../../src/core/plan/definition/plan";
import { executePlan, openExecution, startExecution } from "../../../../src/core/plan/executor";
import { happeningOf, inPlanOrder, type PlanEvent } from "../../../../src/core/plan/run/events";
import type { PlanAgentRun, PlanHost } from "../../../../src/core/plan/run/host";
import type { ExecutionResult } from "../../../../src/core/plan/run/result";
import { assertProperty } from "../../../support/run/property";
import { planOf } from "../plans";

/** Runs whose answers depend on their ids alone, and end in an order that is shuffled by a list of numbers. */
class ShuffledHost implements PlanHost {
  readonly events: PlanEvent[] = [];
  readonly started: string[] = [];
  running = 0;
  most = 0;
  private readonly open: (() => void)[] = [];
  private draws = 0;
  private pauses = 0;

  constructor(
    private readonly order: readonly number[],
    private readonly answer: (run: PlanAgentRun) => { value?: Json; fail?: Step["fail"] },
    private readonly pauseEvery = 0,
  ) {}

  async runAgent(run: PlanAgentRun): Promise<Step> {
    this.started.push(run.id);
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    await this.turn();
    this.running -= 1;
    const { value = null, fail = null } = this.answer(run);
    return { return: value, fail, journal: null, turns: [], child_steps: [] } as unknown as Step;
  }
  async review({ task_id }: { task_id: string }): Promise<Json> {
    await this.turn();
    return { approved: true, task_id };
  }
  async sleep(): Promise<void> {
    await this.turn();
  }
  now(): number {
    return 1000;
  }
  emit(event: PlanEvent): void {
    this.events.push(event);
  }
  shouldPause(): boolean {
    this.pauses += 1;
    return this.pauseEvery > 0 && this.pauses % this.pauseEvery === 0;
  }

  /** Waits until it is drawn. */
  private turn(): Promise<void> {
    return new Promise((resolve) => this.open.push(resolve));
  }
  async during<T>(work: Promise<T>): Promise<T> {
    let over = false;
    const ended = () => {
      over = true;
    };
    work.then(ended, ended);
    for (;;) {
      await new Promise(setImmediate);
      if (over) return work;
      const drawn = (this.order[this.draws++ % this.order.length] ?? 0) % this.open.length;
      if (this.open.length === 0) throw new Error("nobody waits, and it is not over");
      (this.open.splice(drawn, 1)[0] as () => void)();
    }
  }
}

const words = <T>(...list: T[]) => fc.constantFrom(...list);

/** Plans of some ten tasks that depend on earlier ones, with everything that may become of them. */
const plans = fc
  .array(
    fc.record({
      after: fc.array(fc.nat(8), { maxLength: 2 }),
      type: words("task", "task", "task", "gate", "review"),
      on_failure: words("stop", "skip", "retry", "replan"),
      on_verification_failure: words("stop", "skip", "retry", "replan"),
      critical: fc.boolean(),
      max_retries: fc.nat(2),
      quality_gate: fc.boolean(),
      verification: words(null, '(= (get data/result "good") true)', "nil", "(+ 1 nil)"),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((list) =>
    planOf({
      tasks: list.map(({ after, ...task }, i) => ({
        ...task,
        id: `t${i}`,
        input: `Do ${i}`,
        depends_on: after.filter((other) => other < i).map((other) => `t${other}`),
      })),
    }),
  );

const options = (more: object): PlanOptions => {
  const parsed = parsePlanOptions({ llm: "scripted", max_total_replans: 2, ...more });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
};

/** An answer that only depends on which run it is. */
const answerBy =
  (seed: number, repairs: Plan) =>
  ({ id, kind }: PlanAgentRun): { value?: Json; fail?: NonNullable<Step["fail"]> } => {
    let hash = seed;
    for (const c of id) hash = (hash * 31 + c.charCodeAt(0)) % 1_000_003;
    if (kind === "planner") {
      const tasks = repairs.tasks.map((task) => {
        // A review that is decided keeps its question.
        return task.type === "human_review" ? task : { ...task, input: `${String(task.input)} ${id}` };
      });
      return { value: { agents: repairs.agents, tasks } as unknown as Json };
    }
    if (kind === "quality_gate") return { value: { sufficient: hash % 5 > 0, missing: ["x"], evidence: [] } };
    if (hash % 4 === 0) return { fail: { reason: "failed", message: id, details: { user_fail: hash % 8 === 0 } } };
    return { value: { good: hash % 3 > 0, long_enough: id } };
  };

const summary = (result: ExecutionResult, host: ShuffledHost) => ({
  result,
  events: inPlanOrder(host.events).map(happeningOf),
  started: [...host.started].sort(),
});

const orders = fc.array(fc.nat(50), { minLength: 1, maxLength: 40 });
const settings = fc.record({
  max_concurrency: words(1, 2, 10),
  on_review: words("wait", "return"),
  max_total_replans: words(0, 2),
});

test("results and events do not depend on the order of endings", () =>
  assertProperty(
    fc.asyncProperty(plans, orders, orders, settings, fc.nat(1000), async (plan, one, other, more, seed) => {
      const run = async (order: number[]) => {
        const host = new ShuffledHost(order, answerBy(seed, plan));
        return summary(await host.during(executePlan(host, plan, "the mission", options(more))), host);
      };
      expect(await run(other)).toEqual(await run(one));
    }),
    { numRuns: 150 },
  ));

test("a plan can be paused anywhere and continued from its JSON state with the same results", () =>
  assertProperty(
    fc.asyncProperty(
      plans,
      orders,
      settings,
      fc.nat(1000),
      fc.integer({ min: 2, max: 4 }),
      async (plan, order, more, seed, every) => {
        const whole = new ShuffledHost(order, answerBy(seed, plan));
        const expected = await whole.during(executePlan(whole, plan, "the mission", options(more)));
        const host = new ShuffledHost(order, answerBy(seed, plan), every);
        const started = startExecution(host, plan, "the mission", options(more));
        if (!started.ok) throw new Error("refused");
        let state = started.state;
        for (let steps = 0; steps < 500; steps++) {
          const execution = openExecution(host, options(more), JSON.parse(JSON.stringify(state)));
          const result = await host.during(execution.advance());
          state = execution.state;
          if (result === null) continue;
          expect(result).toEqual(expected);
          expect(inPlanOrder(host.events).map(happeningOf)).toEqual(inPlanOrder(whole.events).map(happeningOf));
          expect([...host.started].sort()).toEqual([...whole.started].sort());
          return;
        }
        throw new Error("it never ends");
      },
    ),
    { numRuns: 80 },
  ));

test("the invariants of every execution hold (plan reference, section 10)", () =>
  assertProperty(
    fc.asyncProperty(plans, orders, settings, fc.nat(1000), async (plan, order, more, seed) => {
      const given = { t0: "given" };
      const host = new ShuffledHost(order, answerBy(seed, plan));
      const result = await host.during(
        executePlan(host, plan, "the mission", options({ ...more, initial_results: given })),
      );
      expect(host.most).toBeLessThanOrEqual(more.max_concurrency);
      expect(host.started.filter((id) => id.split("/")[1] === "t0")).toEqual([]);
      expect(new Set(host.started).size).toBe(host.started.length);
      const count = (type: string) => host.events.filter((event) => event.type === type).length;
      expect([count("execution_started"), count("execution_finished")]).toEqual([1, 1]);
      expect(result.metadata?.replan_count).toBeLessThanOrEqual(more.max_total_replans);
      expect(result.metadata?.results).toMatchObject(given);
      const { task_results } = result;
      expect(new Set(task_results.map(({ task_id }) => task_id)).size).toBe(task_results.length);
      for (const { task_id, status } of task_results)
        expect(Object.hasOwn(result.metadata?.results ?? {}, task_id)).toBe(status === "ok");
      startsBehindDependencies(plan, host.events);
    }),
    { numRuns: 150 },
  ));

/** No task starts before all that it depends on have ended: its phase is behind theirs. */
function startsBehindDependencies(plan: Plan, events: readonly PlanEvent[]): void {
  const last = new Map<string, number>();
  events.forEach((event, i) => {
    if (!("task_id" in event) || event.place.phase === null) return;
    const key = `${event.place.execution}/${event.task_id}`;
    if (event.type === "task_started" && event.attempt === 1)
      for (const other of plan.tasks.find(({ id }) => id === event.task_id)?.depends_on ?? [])
        expect(
          events
            .slice(i)
            .some(
              (later) =>
                later.place.execution === event.place.execution &&
                "task_id" in later &&
                later.task_id === other &&
                later.place.phase !== null,
            ),
        ).toBe(false);
    last.set(key, i);
  });
}

test("500 tasks in one phase never exceed the limit of parallel tasks", async () => {
  const plan = planOf({ tasks: Array.from({ length: 500 }, (_, i) => `Do ${i}`) });
  const host = new ShuffledHost([3, 1, 4, 1, 5, 9, 2, 6], () => ({ value: 1 }));
  const result = await host.during(executePlan(host, plan, "many", options({})));
  expect(result).toMatchObject({ status: "ok", metadata: { results: { task_500: 1 } } });
  expect([host.most, host.started.length]).toEqual([10, 500]);
});

test("when its host ends a task, the plan ends unchanged after all other tasks", async () => {
  const plan = planOf({ tasks: ["a", "b", "c"] });
  const host = new ShuffledHost([0], ({ id }) => {
    if (id.includes("task_1")) throw new Error("cancelled");
    return { value: 1 };
  });
  await expect(host.during(executePlan(host, plan, "m", options({})))).rejects.toThrow("cancelled");
  expect(host.running).toBe(0);
});
