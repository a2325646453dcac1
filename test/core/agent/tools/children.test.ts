import { run } from "../run/mission";

/** Agents as tools: how their records are linked (agent reference, sections 4.3 and 13). */
const TOOLS = {
  double: { description: "Doubles", agent: { prompt: "Double.", signature: "(n :int) -> :int", max_turns: 1 } },
};

test("a child has its parent's trace id; the call and the Step have the child's", async () => {
  const { step } = await run({
    agent: { max_turns: 2, tools: TOOLS },
    trace_id: "a".repeat(32),
    says: ["(return (tool/double {:n 2}))", "(* 2 data/n)"],
  });
  const [child] = step.child_steps;
  expect(step.return).toBe(4);
  expect(child?.parent_trace_id).toBe(step.trace_id);
  expect(child?.trace_id).not.toBe(step.trace_id);
  expect(step.child_traces).toEqual([child?.trace_id]);
  expect(step.tool_calls[0]?.child_trace_id).toBe(child?.trace_id);
});

test("a parallel section lists its children's traces in the order of the calls", async () => {
  const { step } = await run({
    agent: { max_turns: 2, tools: TOOLS },
    says: ["(return (pmap #(tool/double {:n %}) [1 2 3]))", "(* 2 data/n)", "(* 2 data/n)", "(* 2 data/n)"],
  });
  expect(step.return).toEqual([2, 4, 6]);
  expect(step.pmap_calls[0]?.child_trace_ids).toEqual(step.child_traces);
  expect(step.child_steps.map(({ return: value }) => value)).toEqual([2, 4, 6]);
});

test("a grandchild's parent is the child", async () => {
  const inner = { description: "Inner", agent: { prompt: "In.", max_turns: 1 } };
  const outer = { description: "Outer", agent: { prompt: "Out.", max_turns: 2, tools: { inner } } };
  const { step } = await run({
    agent: { max_turns: 2, tools: { outer } },
    says: ["(return (tool/outer))", "(return (tool/inner))", "(do 1)"],
  });
  const child = step.child_steps[0];
  expect(child?.child_steps[0]?.parent_trace_id).toBe(child?.trace_id);
  expect(step.child_traces).toEqual([child?.trace_id]);
});
