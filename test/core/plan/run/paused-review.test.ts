import type { Step } from "../../../../src/core/agent/result/step";
import { type PlanOptions, parsePlanOptions } from "../../../../src/core/plan/definition/options";
import type { PlanEvent } from "../../../../src/core/plan/run/events";
import { type PlanAgentRun, type PlanHost, PlanPaused } from "../../../../src/core/plan/run/host";
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
