import { checkPlan } from "../../../../src/core/plan/check/check-plan";
import { parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { cases, SEED } from "../../../support/run/property";
import { FAULTS } from "../faults";
import { dice, soundPlan, TOOLS } from "../generated-plans";
import { parsed } from "../plans";

const options = parsePlanOptions({ llm: "scripted", base_tools: TOOLS });
if (!options.ok) throw new Error(options.fail.message);
const world = { options: options.value, tools: options.value.base_tools, executor: true };
const check = (raw: unknown) => checkPlan(parsed(JSON.parse(JSON.stringify(raw))), world);

/** So many plans of this run. */
const seeds = (count: number) => Array.from({ length: cases(count) }, (_, i) => SEED + i);

test("there are faults of more than 20 kinds", () => expect(FAULTS.length).toBeGreaterThanOrEqual(20));

test.each(FAULTS)("$kind is refused as $category", ({ category, spoil }) => {
  for (const seed of seeds(10)) {
    const plan = soundPlan(seed * 31);
    const task_id = spoil(plan, dice(seed));
    const { ok, findings } = check(plan);
    expect(ok).toBe(false);
    const named = findings.filter((finding) => finding.severity === "error" && finding.category === category);
    expect(named.length).toBeGreaterThan(0);
    if (task_id !== null) expect(named.map((finding) => finding.task_id)).toContain(task_id);
  }
});

test("sound plans are not refused", () => {
  for (const seed of seeds(50)) {
    const { ok, findings, cost } = check(soundPlan(seed));
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect([ok, cost?.cost]).toEqual([true, null]);
  }
});
