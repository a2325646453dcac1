import type { Step } from "../../../../src/core/agent/result/step";
import type { Json } from "../../../../src/core/base/json";
import { type PlanOptions, parsePlanOptions } from "../../../../src/core/plan/definition/options";
import type { PlanEvent } from "../../../../src/core/plan/run/events";
import { type PlanAgentRun, type PlanHost, PlanPaused, type PlanReview } from "../../../../src/core/plan/run/host";
import type { PlanRunState } from "../../../../src/core/plan/run/run-state";
import { openPlanRun } from "../../../../src/core/plan/run/runner";
import { planOf } from "../plans";

/** A host whose reviews pause the plan, or are decided. */
class PausingHost implements PlanHost {
  readonly started: string[] = [];
  constructor(private readonly decided: boolean) {}

  async runAgent({ id }: PlanAgentRun): Promise<Step> {
    this.started.push(id);
    return { return: id, fail: null, journal: null, turns: [], child_steps: [] } as unknown as Step;
  }
  async review() {
    if (!this.decided) throw new PlanPaused();
    return { approved: true };
  }
  async sleep(): Promise<void> {}
  now = () => 1000;
  emit(_event: PlanEvent): void {}
}

/** A host that answers reviews in order; null = a pause instead of an answer. */
class AskedHost implements PlanHost {
  readonly asked: string[] = [];
  readonly events: string[] = [];
  constructor(
    private readonly answers: (Json | null)[],
    private time = 0,
  ) {}

  runAgent(): Promise<Step> {
    throw new Error("no agent runs");
  }
  async review({ id }: PlanReview): Promise<Json> {
    this.asked.push(id);
    this.time += 1_000;
    const answer = this.answers.shift() ?? null;
    if (answer === null) throw new PlanPaused();
    return answer;
  }
  async sleep(): Promise<void> {}
  now = () => this.time;
  emit({ type, ...event }: PlanEvent): void {
    this.events.push(`${type} ${"attempt" in event ? event.attempt : ""}`.trim());
  }
}

test("a review that is asked again after a pause keeps the number of its attempts, its retries and its time", async () => {
  const again = planOf({
    tasks: [
      {
        id: "ask",
        type: "human_review",
        input: "Well?",
        verification: '(= data/result "good")',
        on_verification_failure: "retry",
        max_retries: 2,
      },
    ],
  });
  const run = async (answers: (Json | null)[], time: number, state?: PlanRunState) => {
    const host = new AskedHost(answers, time);
    const opened = openPlanRun(host, again, options(), state && JSON.parse(JSON.stringify(state)));
    if (!opened.ok) throw new Error(opened.fail.message);
    return { host, result: await opened.value.phase(), state: opened.value.state };
  };
  const first = await run(["bad", null], 0);
  expect(first.result).toBeNull();
  expect(first.host.asked).toEqual(["1/ask/1", "1/ask/2"]);
  const second = await run([null], 10_000, first.state);
  expect(second.host.asked).toEqual(["1/ask/2"]);
  const third = await run(["bad", "bad"], 20_000, second.state);
  expect(third.host.asked).toEqual(["1/ask/2", "1/ask/3"]);
  expect(third.host.events).toEqual(["task_started 3", "task_failed"]);
  expect(third.result).toMatchObject({
    status: "error",
    reason: { reason: "verification_failed" },
    task_results: [{ task_id: "ask", duration_ms: 22_000 }],
  });
  expect(third.state.waiting).toBeUndefined();
});

const options = (): PlanOptions => {
  const parsed = parsePlanOptions({ on_review: "wait" });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
};

const plan = planOf({
  tasks: [
    { id: "first", input: "Do it" },
    { id: "ask", type: "human_review", input: "Well?" },
    { id: "last", input: "Do the rest", depends_on: ["first", "ask"] },
  ],
});

test("a plan that pauses while it waits for a review goes on with that review, and repeats no task", async () => {
  const before = new PausingHost(false);
  const opened = openPlanRun(before, plan, options());
  if (!opened.ok) throw new Error(opened.fail.message);
  expect(await opened.value.phase()).toBeNull();
  const { state } = opened.value;
  expect(before.started).toEqual(["1/first/1"]);
  expect(Object.keys(state.outcomes)).toEqual(["first"]);

  const after = new PausingHost(true);
  const next = openPlanRun(after, plan, options(), JSON.parse(JSON.stringify(state)));
  if (!next.ok) throw new Error(next.fail.message);
  expect(await next.value.phase()).toBeNull();
  expect(await next.value.phase()).toMatchObject({ status: "ok", results: { ask: { approved: true } } });
  expect(after.started).toEqual(["1/last/1"]);
});

/** A host whose agents work for as long as it has no answer for them: then the plan is paused. */
class BusyHost implements PlanHost {
  readonly asked: string[] = [];
  readonly events: string[] = [];
  constructor(private readonly answers: { [id: string]: unknown }) {}

  async runAgent({ id, input }: PlanAgentRun): Promise<Step> {
    this.asked.push(id);
    if (!Object.hasOwn(this.answers, id)) throw new PlanPaused();
    const told = JSON.stringify(input.context).includes("not even");
    return { return: this.answers[id], fail: null, journal: { told }, turns: [], child_steps: [] } as unknown as Step;
  }
  async review(): Promise<Json> {
    throw new PlanPaused();
  }
  async sleep(): Promise<void> {}
  now = () => 1000;
  emit({ type }: PlanEvent): void {
    this.events.push(type);
  }
}

const ENOUGH = { sufficient: true, missing: [], evidence: [] };
const gated = planOf({
  agents: { worker: { prompt: "Work." } },
  tasks: [
    { id: "first", agent: "worker", input: "Begin" },
    {
      id: "next",
      agent: "worker",
      input: "Go on",
      depends_on: ["first"],
      quality_gate: true,
      verification: '(if (even? data/result) true "not even")',
      on_verification_failure: "retry",
      max_retries: 2,
    },
  ],
});

test("a plan that pauses while agents work goes on with the same runs: no gate is asked twice, and nothing is told twice", async () => {
  const events: string[] = [];
  const resumed = async (answers: { [id: string]: unknown }, state?: PlanRunState) => {
    const host = new BusyHost(answers);
    const opened = openPlanRun(host, gated, options(), state && JSON.parse(JSON.stringify(state)));
    if (!opened.ok) throw new Error(opened.fail.message);
    const result = await opened.value.phase();
    events.push(...host.events);
    return { asked: host.asked, result, state: opened.value.state };
  };
  const begun = await resumed({ "1/first/1": 1 });
  const inGate = await resumed({}, begun.state);
  expect(inGate.asked).toEqual(["1/next/1/gate"]);
  const inTask = await resumed({ "1/next/1/gate": ENOUGH }, inGate.state);
  expect(inTask.asked).toEqual(["1/next/1/gate", "1/next/1"]);
  const again = await resumed({ "1/next/1": 3 }, inTask.state);
  expect(again.asked).toEqual(["1/next/1", "1/next/2"]);
  expect(again.state.waiting).toEqual({
    next: { attempt: 2, started_at: 1000, attempt_at: 1000, feedback: "not even" },
  });
  const last = await resumed({ "1/next/2": 4 }, again.state);
  expect(last.asked).toEqual(["1/next/2"]);
  expect(last.result).toMatchObject({ status: "ok", results: { next: 4 } });
  const count = (type: string) => events.filter((one) => one === type).length;
  expect(["task_started", "quality_gate_started", "quality_gate_passed", "task_step"].map(count)).toEqual([3, 1, 1, 3]);
});
