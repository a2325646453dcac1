import fc from "fast-check";
import { checkPlan } from "../../../../src/core/plan/check/check-plan";
import { fingerprintOf } from "../../../../src/core/plan/definition/fingerprint";
import { parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { parsePlan } from "../../../../src/core/plan/definition/parse";
import { validatePlan } from "../../../../src/core/plan/definition/validate";
import { executePlan } from "../../../../src/core/plan/executor";
import { MemoryPlanHost } from "../../../../src/simulate/memory-plan-host";
import { assertProperty } from "../../../support/run/property";

/** Whatever a model writes is a plan, or a plan with issues, and never a crash. */

const options = parsePlanOptions({ llm: "scripted", max_total_replans: 1, on_review: "return", base_tools: ["t"] });
if (!options.ok) throw new Error(options.fail.message);

const odd = fc.oneof(
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  fc.constantFrom<unknown>(
    "a",
    "b",
    "__proto__",
    "constructor",
    "direct",
    "{{results.a.b}}",
    "(get data/result",
    "(tool/t)",
    "{n :int}",
    -1,
    1e9,
    "",
  ),
);
const FIELDS = [
  "id",
  "name",
  "agent",
  "worker",
  "input",
  "query",
  "depends_on",
  "after",
  "type",
  "output",
  "signature",
  "verification",
  "on_failure",
  "on_verification_failure",
  "max_retries",
  "critical",
  "quality_gate",
  "tasks",
];
const task = fc.dictionary(fc.constantFrom(...FIELDS), odd, { maxKeys: 8 });
const list = fc.oneof(
  odd,
  fc.array(fc.oneof(task, odd), { maxLength: 6 }),
  fc.dictionary(fc.constantFrom("p", "__proto__", "a"), fc.oneof(task, odd)),
);
const document = fc.oneof(
  odd,
  fc.dictionary(
    fc.constantFrom("tasks", "steps", "workflow", "phases", "agents", "workers", "plan"),
    fc.oneof(list, fc.dictionary(fc.constantFrom("steps", "tasks", "agents"), list)),
  ),
);

test("any JSON is read, checked and classified without a crash", () =>
  assertProperty(
    fc.property(document, (raw) => {
      const parsed = parsePlan(raw);
      if (!parsed.ok) return;
      const issues = validatePlan(parsed.value.plan);
      const { ok } = checkPlan(parsed.value, { options: options.value, tools: options.value.base_tools });
      if (issues.length > 0) expect(ok).toBe(false);
      else fingerprintOf(parsed.value.plan, {});
    }),
    { numRuns: 2000 },
  ));

test("any plan without issues is executed to an end", () =>
  assertProperty(
    fc.asyncProperty(fc.array(task, { minLength: 1, maxLength: 5 }), async (tasks) => {
      const parsed = parsePlan({ tasks });
      if (!parsed.ok || validatePlan(parsed.value.plan).length > 0) return;
      const host = new MemoryPlanHost({
        model: { default: Array.from({ length: 200 }, () => '{"a": "long enough"}') },
      });
      const result = await host.clock.during(executePlan(host, parsed.value.plan, "any", options.value));
      expect(["ok", "waiting", "error"]).toContain(result.status);
      expect(JSON.parse(JSON.stringify(result))).toEqual(result);
    }),
    { numRuns: 300 },
  ));

test("a plan of 2000 tasks is checked quickly", () => {
  const tasks = Array.from({ length: 2000 }, (_, i) => ({
    id: `t${i}`,
    input: i === 0 ? "Begin" : `After {{results.t${i - 1}}}`,
    depends_on: i === 0 ? [] : [`t${i - 1}`],
    verification: "(> (count data/result) 0)",
  }));
  const parsed = parsePlan({ tasks });
  if (!parsed.ok) throw new Error("not read");
  expect(checkPlan(parsed.value, { options: options.value, tools: [] }).ok).toBe(true);
});
