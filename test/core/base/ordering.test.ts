import fc from "fast-check";
import {
  closingArcs,
  findCircle,
  levelsOf,
  reachable,
  shortestPath,
  successors,
  topologicalOrder,
} from "../../../src/core/base/ordering";
import { assertProperty } from "../../support/run/property";

const arcs = (...texts: string[]) => texts.map((text) => ({ from: text[0] as string, to: text[1] as string }));
const nodes = [..."abcdefgh"];

describe("an example", () => {
  const next = successors(arcs("ab", "bc", "ca", "bd"));
  test("a circle is listed from a node back to itself", () => expect(findCircle(nodes, next)).toEqual([..."abca"]));
  test("a node that leads to itself is a circle", () => expect(findCircle(["a"], () => ["a"])).toEqual(["a", "a"]));
  test("every arc that closes a circle is found, also of two arcs between the same nodes", () => {
    const double = arcs("ab", "ba", "ba", "bc");
    const out = (node: string) => double.filter(({ from }) => from === node);
    expect(closingArcs(["a"], out)).toEqual(arcs("ba", "ba"));
  });
  test("the shorter of two paths is given", () =>
    expect(shortestPath("a", "d", successors(arcs("ab", "bc", "cd", "bd")))).toEqual([..."abd"]));
  test("without a path the result is empty", () => expect(shortestPath("d", "a", next)).toBeNull());
  test("a missing dependency counts as present", () =>
    expect(topologicalOrder(["a", "b"], () => ["x"])).toEqual(["a", "b"]));
  test("the order continues past a dependency that closes a circle", () =>
    expect(topologicalOrder([..."abc"], successors(arcs("ab", "ba", "ac")))).toEqual([..."bca"]));
});

test("a chain of 200,000 links does not exhaust the stack", () => {
  const count = 200_000;
  const next = (i: number) => (i + 1 < count ? [i + 1] : []);
  expect(findCircle([0], next)).toBeNull();
  expect(topologicalOrder([0, count - 1, 5], (i) => (i === 0 ? [5] : []))).toEqual([5, 0, count - 1]);
  expect(
    levelsOf(
      Array.from({ length: 1_000 }, (_, i) => i),
      next,
    ),
  ).toHaveLength(1_000);
  expect(reachable([0], next).size).toBe(count);
});

const anyArcs = fc.array(
  fc.tuple(fc.constantFrom(...nodes), fc.constantFrom(...nodes)).map(([from, to]) => ({ from, to })),
  { maxLength: 20 },
);

test("there is a circle exactly if a node can be reached from itself", () =>
  assertProperty(
    fc.property(anyArcs, (list) => {
      const next = successors(list);
      const returning = nodes.filter((node) => reachable(next(node), next).has(node));
      const circle = findCircle(nodes, next);
      expect(circle === null).toBe(returning.length === 0);
      if (circle === null) return;
      expect(circle[0]).toBe(circle.at(-1));
      for (const [i, node] of circle.slice(0, -1).entries()) expect(next(node)).toContain(circle[i + 1]);
    }),
  ));

test("without the arcs that close circles there are no circles, and every node comes after its dependencies", () =>
  assertProperty(
    fc.property(anyArcs, (list) => {
      const closing = closingArcs(nodes, (node) => list.filter(({ from }) => from === node));
      const needs = successors(list.filter((arc) => !closing.includes(arc)));
      expect(findCircle(nodes, needs)).toBeNull();
      const order = topologicalOrder(nodes, needs);
      expect([...order].sort()).toEqual(nodes);
      const levels = levelsOf(nodes, needs);
      const levelOf = (node: string) => levels.findIndex((level) => level.includes(node));
      for (const node of nodes)
        for (const needed of needs(node)) {
          expect(order.indexOf(needed)).toBeLessThan(order.indexOf(node));
          expect(levelOf(needed)).toBeLessThan(levelOf(node));
        }
    }),
  ));
