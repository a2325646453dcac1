import { checkPlan } from "../../../../src/core/plan/check/check-plan";
import { parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { FAULTS } from "../faults";
import { dice, soundPlan, TOOLS } from "../generated-plans";
import { parsed } from "../plans";

const options = parsePlanOptions({ llm: "scripted", base_tools: TOOLS });
if (!options.ok) throw new Error(options.fail.message);
const world = { options: options.value, tools: options.value.base_tools, executor: true };
const check = (raw: unknown) => checkPlan(parsed(JSON.parse(JSON.stringify(raw))), world);

const PER_KIND = 10;
test("there are faults of more than 20 kinds", () => expect(FAULTS.length).toBeGreaterThanOrEqual(20));

test.each(FAULTS)("$kind is refused as $category", ({ category, spoil }) => {
  for (let seed = 1; seed <= PER_KIND; seed++) {
    const plan = soundPlan(seed * 31);
    const task_id = spoil(plan, dice(seed));
    const { ok, findings } = check(plan);
    expect(ok).toBe(false);
    const named = findings.filter((finding) => finding.severity === "error" && finding.category === category);
    expect(named.length).toBeGreaterThan(0);
    if (task_id !== null) expect(named.map((finding) => finding.task_id)).toContain(task_id);
  }
});

test("50 sound plans are not refused", () => {
  for (let seed = 1; seed <= 50; seed++) {
    const { ok, findings, cost } = check(soundPlan(seed));
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect([ok, cost?.cost]).toEqual([true, null]);
  }
});
