import fc from "fast-check";
import { CyclicPlan, findCycle, orderedTasks, phasesOf } from "../../../../src/core/plan/definition/order";
import { assertProperty } from "../../../support/run/property";
import { tasks } from "../plans";

const diamond = tasks(
  { id: "d", after: ["b", "c"] },
  { id: "c", after: "a" },
  { id: "b", after: "a" },
  { id: "a" },
  { id: "e" },
);

test("phases are levels, in plan order within each", () =>
  expect(phasesOf(diamond).map((phase) => phase.map(({ id }) => id))).toEqual([["a", "e"], ["c", "b"], ["d"]]));
test("the order keeps the plan's order among equals", () =>
  expect(orderedTasks(diamond).map(({ id }) => id)).toEqual(["a", "c", "b", "d", "e"]));
test("an unknown dependency counts as done", () =>
  expect(phasesOf(tasks({ id: "a", after: "x" }, { id: "b", after: "a" })).map((phase) => phase.length)).toEqual([
    1, 1,
  ]));
test("a circle has no levels", () => {
  const plan = tasks({ id: "a", after: "b" }, { id: "b", after: "a" });
  expect(() => phasesOf(plan)).toThrow(CyclicPlan);
  expect(() => orderedTasks(plan)).toThrow("a -> b -> a");
});

const edges = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 25 });

test("exactly the existing circles are found; without one every task comes after its dependencies", () =>
  assertProperty(
    fc.property(edges, (pairs) => {
      const plan = tasks(
        ...Array.from({ length: 10 }, (_, i) => ({
          id: `t${i}`,
          depends_on: pairs.filter(([from]) => from === i).map(([, to]) => `t${to}`),
        })),
      );
      const depends = new Map(plan.tasks.map((task) => [task.id, task.depends_on]));
      const cycle = findCycle(plan);
      if (cycle) {
        expect(cycle.length).toBeGreaterThan(1);
        expect(cycle[0]).toBe(cycle.at(-1));
        for (const [i, id] of cycle.slice(0, -1).entries()) expect(depends.get(id)).toContain(cycle[i + 1]);
        return;
      }
      const seen = new Set<string>();
      for (const phase of phasesOf(plan)) {
        for (const { depends_on } of phase) expect(depends_on.every((id) => seen.has(id))).toBe(true);
        for (const { id } of phase) seen.add(id);
      }
      const order = orderedTasks(plan).map(({ id }) => id);
      for (const [id, needed] of depends)
        for (const other of needed) expect(order.indexOf(other)).toBeLessThan(order.indexOf(id));
    }),
  ));
