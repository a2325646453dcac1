import type { RawPlan, RawTask } from "./generated-plans";

/** One way to spoil a plan: the finding that must name it, and the task at fault (null = the plan). */
export interface Fault {
  kind: string;
  category: string;
  spoil(plan: RawPlan, roll: (sides: number) => number): string | null;
}

const find = (plan: RawPlan, id: string): RawTask => plan.tasks.find((task) => task.id === id) as RawTask;
const anyFind = (plan: RawPlan, roll: (sides: number) => number): RawTask => {
  const finds = plan.tasks.filter(({ id }) => id.startsWith("find_"));
  return finds[roll(finds.length)] as RawTask;
};
const set = (task: RawTask, fields: object): string => {
  Object.assign(task, fields);
  return task.id;
};

export const FAULTS: Fault[] = [
  {
    kind: "no tasks",
    category: "empty_plan",
    spoil: (plan) => {
      plan.tasks = [];
      return null;
    },
  },
  {
    kind: "an id twice",
    category: "duplicate_id",
    spoil: (plan, roll) => {
      const task = anyFind(plan, roll);
      plan.tasks.push({ ...task });
      return task.id;
    },
  },
  {
    kind: "depends on nothing that is there",
    category: "missing_dependency",
    spoil: (plan, roll) => {
      const task = anyFind(plan, roll);
      task.depends_on = ["find_99"];
      return task.id;
    },
  },
  {
    kind: "a circle",
    category: "cycle_detected",
    spoil: (plan) => {
      find(plan, "find_0").depends_on = ["summary"];
      return null;
    },
  },
  {
    kind: "depends on itself",
    category: "cycle_detected",
    spoil: (plan, roll) => {
      const task = anyFind(plan, roll);
      task.depends_on = [task.id];
      return task.id;
    },
  },
  {
    kind: "an agent that is not there",
    category: "missing_agent",
    spoil: (plan, roll) => set(anyFind(plan, roll), { agent: "ghost" }),
  },
  {
    kind: "a program that is not closed",
    category: "invalid_direct_input",
    spoil: (plan) => {
      const task = find(plan, "total");
      return set(task, { input: `(do ${String(task.input)}` });
    },
  },
  {
    kind: "a program with a name that nothing defines",
    category: "invalid_direct_input",
    spoil: (plan) => set(find(plan, "total"), { input: "(sum-all data/results)" }),
  },
  {
    kind: "a program that is none",
    category: "invalid_direct_input",
    spoil: (plan, roll) => set(find(plan, "total"), { input: ["", { a: 1 }, 7][roll(3)] }),
  },
  {
    kind: "a predicate that does not read",
    category: "invalid_verification",
    spoil: (plan, roll) => set(anyFind(plan, roll), { verification: "(if (> 1" }),
  },
  {
    kind: "a predicate over a bare name",
    category: "invalid_verification",
    spoil: (plan, roll) => set(anyFind(plan, roll), { verification: "(> (count result) 0)" }),
  },
  {
    kind: "a signature that cannot be read",
    category: "invalid_signature",
    spoil: (plan, roll) => set(anyFind(plan, roll), { signature: ["{n :int", "number", "{n int}"][roll(3)] }),
  },
  {
    kind: "a template of no task",
    category: "unknown_template_task",
    spoil: (plan, roll) => set(anyFind(plan, roll), { input: "See {{results.nowhere}}" }),
  },
  {
    kind: "a template of no field",
    category: "unknown_template_field",
    spoil: (plan) => set(find(plan, "ok"), { input: "Pay {{results.summary.price}}?" }),
  },
  {
    kind: "a template of what comes later",
    category: "template_not_upstream",
    spoil: (plan, roll) => set(anyFind(plan, roll), { input: "See {{results.total}}" }),
  },
  {
    kind: "a tool that is not there",
    category: "missing_tool",
    spoil: (plan) => {
      plan.agents.finder?.tools.push("serach");
      return "find_0";
    },
  },
  {
    kind: "a program that calls a tool that is not there",
    category: "missing_tool",
    spoil: (plan) => set(find(plan, "total"), { input: "(tool/add_up data/results)" }),
  },
  {
    kind: "a program that reads what it does not depend on",
    category: "unknown_result",
    spoil: (plan) => set(find(plan, "total"), { input: '(get data/results "summary")' }),
  },
  {
    kind: "a predicate of no field",
    category: "unknown_result_field",
    spoil: (plan, roll) => set(anyFind(plan, roll), { verification: '(> (get data/result "count") 0)' }),
  },
  {
    kind: "a predicate with a tool",
    category: "tool_in_verification",
    spoil: (plan, roll) => set(anyFind(plan, roll), { verification: "(= 1 (tool/stock {:id 1}))" }),
  },
  {
    kind: "a predicate that nothing passes",
    category: "never_passes",
    spoil: (plan, roll) => set(anyFind(plan, roll), { verification: ["false", '"must be checked"', "nil"][roll(3)] }),
  },
  {
    kind: "tasks that are never reached",
    category: "unreachable_task",
    spoil: (plan) => {
      set(find(plan, "summary"), { verification: "false" });
      return "ok";
    },
  },
  {
    kind: "retries without end",
    category: "endless_retries",
    spoil: (plan, roll) => set(anyFind(plan, roll), { on_failure: "retry", max_retries: 50 + roll(1000) }),
  },
  {
    kind: "what cannot be taken back, and nobody is asked",
    category: "unreviewed_irreversible",
    spoil: (plan, roll) => set(anyFind(plan, roll), { agent: "payer" }),
  },
  {
    kind: "a program that cannot be taken back",
    category: "unreviewed_irreversible",
    spoil: (plan) => set(find(plan, "total"), { input: "(tool/pay {:sum 1})" }),
  },
  {
    kind: "a review that changes nothing",
    category: "review_without_effect",
    spoil: (plan) => {
      find(plan, "ok").verification = undefined as never;
      plan.tasks.push({ id: "pay_2", agent: "payer", input: "Pay", depends_on: ["ok"] });
      return "pay_2";
    },
  },
  {
    kind: "data that is not there",
    category: "unknown_data",
    spoil: (plan, roll) => set(anyFind(plan, roll), { verification: "(if data/output true false)" }),
  },
];
