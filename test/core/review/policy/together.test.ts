import { parseAgent } from "../../../../src/core/agent/definition/parse-agent";
import { withToolSpecs } from "../../../../src/core/agent/tools/with-specs";
import type { JsonObject } from "../../../../src/core/base/json";
import { parseDefinition } from "../../../../src/core/graph/definition/parse";
import { checkPlan } from "../../../../src/core/plan/check/check-plan";
import { parsePlanOptions } from "../../../../src/core/plan/definition/options";
import { type ParsedPlan, parsePlan } from "../../../../src/core/plan/definition/parse";
import { readPlanInput } from "../../../../src/core/plan/definition/read-plan-input";
import { type ReviewTerms, togetherProblem } from "../../../../src/core/review/policy/terms";
import { planInput } from "../../../../src/workflows/start/plan-input";

/** Terms that each are sound, and with which together nobody could decide (approvals reference, section 5). */

const ANNA = { assignees: ["anna"] };
const TWO = { quorum: 2 };
const WHY = "asks for 2 people and names only anna";

test.each<{ people?: ReviewTerms; own: ReviewTerms; problem: boolean }>([
  { people: ANNA, own: TWO, problem: true },
  { people: TWO, own: ANNA, problem: true },
  { people: { distinct_groups: 2 }, own: ANNA, problem: true },
  { people: ANNA, own: { ...TWO, assignees: ["anna", "ben"] }, problem: false },
  { people: { assignees: ["group:finance"] }, own: TWO, problem: false },
  { people: { ...ANNA, escalate: [{ after_ms: 1, to: ["ben"] }] }, own: TWO, problem: false },
  { people: { ...ANNA, escalate: [{ after_ms: 1, to: ["anna"] }] }, own: TWO, problem: true },
  { people: { remind_ms: 1 }, own: TWO, problem: false },
  { own: TWO, problem: false },
])("$people with $own", ({ people, own, problem }) =>
  expect(togetherProblem(people, own, "x")).toEqual(problem ? `together with people of x, ${WHY}` : null),
);

const TOOL = { name: "pay", signature: "(order :int) -> :any", approval: TWO };

test("an agent is refused at the tool's approval", () => {
  const read = (tools: unknown) => parseAgent({ name: "payer", prompt: "Pay.", people: ANNA, tools });
  const refused = (path: string) => ({
    fail: { reason: "invalid_agent", details: { issues: [{ path, message: expect.stringContaining(WHY) }] } },
  });
  expect(read([TOOL])).toMatchObject(refused("tools[0].approval"));
  expect(read({ pay: { ...TOOL, name: undefined } })).toMatchObject(refused("tools.pay.approval"));
  const self = { name: "again", self: true, approval: TWO };
  expect(parseAgent({ prompt: "Pay.", signature: "(a :int) -> :int", people: ANNA, tools: [self] })).toMatchObject(
    refused("tools[0].approval"),
  );
  expect(read([{ ...TOOL, approval: true }])).toMatchObject({ ok: true });
});

test("an agent of a project is refused where the project's tool is added", () => {
  const agent = parseAgent({ name: "payer", prompt: "Pay.", people: ANNA, tools: ["pay"] });
  if (!agent.ok) throw new Error(agent.fail.message);
  const add = () => withToolSpecs(agent.value, [{ ...TOOL, effect: "write" }]);
  expect(add).toThrow(`Agent payer: tools.pay.approval, together with people of the agent, ${WHY}.`);
});

test("a graph is refused at the node", () => {
  const graph = (people: object) =>
    parseDefinition({
      id: "orders",
      people,
      nodes: {
        start: { type: "start", name: "Start" },
        check: { type: "gate", name: "Check", review: TWO },
        done: { type: "end", name: "Done", result: "success" },
        no: { type: "end", name: "No", result: "blocked" },
      },
      edges: [
        { from: "start", to: "check" },
        { from: "check", to: "done", on: "passed" },
        { from: "check", to: "no", on: "failed" },
      ],
    });
  expect(graph({ assignees: ["anna", "ben"] })).toMatchObject({ ok: true });
  expect(graph(ANNA)).toMatchObject({
    fail: {
      reason: "invalid_workflow",
      details: { issues: [{ code: "invalid_property", nodeId: "check", message: expect.stringContaining(WHY) }] },
    },
  });
});

describe("a plan", () => {
  const planOf = (people: JsonObject, own: JsonObject): JsonObject => ({
    people,
    tasks: [{ id: "ask", type: "human_review", input: "Go?", people: own }],
  });
  const invalid = (thrown: () => unknown) => {
    try {
      thrown();
    } catch (error) {
      return error;
    }
    return null;
  };

  test.each<{ it: string; plan: JsonObject; options: object; task_id: string | null }>([
    { it: "by plan and task", plan: planOf(ANNA, TWO), options: {}, task_id: "ask" },
    { it: "by options and task", plan: planOf({}, TWO), options: { people: ANNA }, task_id: "ask" },
    { it: "by options and plan", plan: planOf(TWO, {}), options: { people: ANNA }, task_id: null },
    { it: "by plan and tool", plan: planOf(ANNA, {}), options: { base_tools: [TOOL] }, task_id: null },
  ])("is refused $it, by client, check and workflow", ({ plan, options, task_id }) => {
    const message = expect.stringContaining(WHY);
    const details = { issues: [{ category: "invalid_people", task_id, message }] };
    expect(invalid(() => planInput({ plan, options }))).toMatchObject({ code: "invalid_plan", details });
    expect(readPlanInput({ plan, options }, { knownFields: true })).toMatchObject({
      fail: { reason: "invalid_input", message },
    });
    const [parsed, read] = [parsePlan(plan), parsePlanOptions(options)];
    if (!parsed.ok || !read.ok) throw new Error("cannot be read");
    const { findings } = checkPlan(parsed.value as ParsedPlan, { options: read.value, tools: null });
    expect(findings).toContainEqual(
      expect.objectContaining({ severity: "error", category: "invalid_people", task_id }),
    );
  });

  test("that is to be made is refused by options and tool", () => {
    const options = { people: ANNA, base_tools: [TOOL] };
    expect(invalid(() => planInput({ mission: "Pay.", options }))).toMatchObject({ code: "invalid_plan" });
    expect(readPlanInput({ mission: "Pay.", options }, { knownFields: true })).toMatchObject({
      fail: { reason: "invalid_input" },
    });
  });

  test("that people can decide is taken", () =>
    expect(invalid(() => planInput({ plan: planOf(ANNA, { ...TWO, assignees: ["ben", "carl"] }) }))).toBeNull());
});
