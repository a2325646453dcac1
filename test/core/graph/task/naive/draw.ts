import fc from "fast-check";
import type { NaiveEdge, NaiveFile, NaiveNode } from "./graph";

/**
 * Graphs that nobody thought of. Steps stand in a row, each with one way forward so that every node can be reached and
 * left; all other edges lead anywhere, and the order in the file is shuffled.
 */
const ENDS: { [id: string]: NaiveNode } = {
  done: { type: "end", result: "success" },
  stage: { type: "end", result: "success", escalation: "alert" },
  looked: { type: "end", result: "success", escalation: "hitl" },
  human: { type: "end", result: "blocked", escalation: "hitl" },
  lost: { type: "end", result: "failure" },
  off: { type: "end", result: "cancelled", escalation: "ticket" },
};
const IDS = ["a", "constructor", "b-1", "__proto__", "e", "f f", "g"];
const OUTPUTS = [
  undefined,
  undefined,
  ["passed", "failed"],
  ["passed", "failed", "odd"],
  ["odd", "failed"],
  ["passed"],
];

const somewhere = fc.nat(40);
const way = fc.record({
  on: fc.constantFrom(undefined, "passed", "failed", "failed", "failed", "odd", "max_retries_exceeded"),
  to: somewhere,
  toEnd: fc.boolean(),
});
const step = fc.record({
  kind: fc.constantFrom("task", "task", "gate", "gate", "subflow", "fork"),
  outputs: fc.constantFrom(...OUTPUTS),
  maxRetries: fc.constantFrom(undefined, 0, 1, 2, 3),
  forward: fc.constantFrom("first", "first", "any"),
  ways: fc.array(way, { maxLength: 4 }),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const recovery = fc.record({
  from: somewhere,
  on: fc.constantFrom("passed", "passed", "failed", undefined),
  to: somewhere,
});

export const files: fc.Arbitrary<NaiveFile> = fc
  .record({
    steps: fc.array(step, { minLength: 1, maxLength: IDS.length }),
    recoveries: fc.array(recovery, { maxLength: 4 }),
    order: fc.array(fc.nat(1000), { minLength: 7, maxLength: 7 }),
  })
  .map(({ steps, recoveries, order }) => {
    const drawn = row(steps);
    const ids = Object.keys(drawn.nodes);
    const used = Object.keys(ENDS).filter((end) => end === "done" || drawn.edges.some(({ to }) => to === end));
    const back = recoveries.map(({ from, on, to }): NaiveEdge => {
      const targets = [...ids.filter((id) => id !== "start"), ...used];
      return { from: pick(used, from), to: pick(targets, to), ...(on === undefined ? {} : { on }) };
    });
    const edges = [...drawn.edges, ...back].filter((edge, i, all) => all.findIndex((one) => same(one, edge)) === i);
    const place = (i: number) => ((order[i % order.length] as number) * (i + 1)) % 1009;
    return {
      nodes: Object.fromEntries([
        ...Object.entries(drawn.nodes),
        ...used.map((id) => [id, ENDS[id]] as const),
      ]) as NaiveFile["nodes"],
      edges: edges
        .map((edge, i) => ({ edge, at: place(i) }))
        .sort((x, y) => x.at - y.at)
        .map(({ edge }) => edge),
    };
  });

const same = (x: NaiveEdge, y: NaiveEdge) => x.from === y.from && x.to === y.to && x.on === y.on;
const pick = (list: readonly string[], i: number): string => list[i % list.length] as string;

function row(steps: readonly Step[]): NaiveFile {
  const nodes: [string, NaiveNode][] = [["start", { type: "start" }]];
  const edges: NaiveEdge[] = [];
  const ids = IDS.slice(0, steps.length);
  edges.push({ from: "start", to: ids[0] as string });
  steps.forEach((one, i) => {
    const id = ids[i] as string;
    const next = ids[i + 1] ?? "done";
    if (one.kind === "fork") {
      // Two branches, one of them with the step's own ways out.
      const [left, right, join] = [`${id}.left`, `${id}.right`, `${id}.join`] as [string, string, string];
      nodes.push(
        [id, { type: "fork", join }],
        [left, work({ ...one, kind: "task" }, left)],
        [right, work({ ...one, kind: "gate" }, right)],
      );
      nodes.push([join, { type: "join", fork: id } as NaiveNode]);
      edges.push({ from: id, to: left }, { from: id, to: right }, { from: right, to: join });
      edges.push(...out(one, left, join, ids, one.outputs));
      edges.push(...out({ ...one, ways: [...one.ways].reverse() }, join, next, ids, undefined));
    } else {
      nodes.push([id, work(one, id)]);
      edges.push(...out(one, id, next, ids, one.kind === "subflow" ? undefined : one.outputs));
    }
  });
  return { nodes: Object.fromEntries(nodes), edges };
}

function work({ kind, outputs, maxRetries }: Step, id: string): NaiveNode {
  if (kind === "subflow") return { type: kind, workflow: "other" } as NaiveNode;
  const more = { ...(outputs === undefined ? {} : { outputs }), ...(maxRetries === undefined ? {} : { maxRetries }) };
  return { type: kind, name: `Step ${id}`, ...more } as NaiveNode;
}

function out(
  one: Step,
  from: string,
  next: string,
  ids: readonly string[],
  outputs: string[] | undefined,
): NaiveEdge[] {
  const results = outputs ?? ["passed", "failed"];
  const forward = one.forward === "any" ? {} : { on: results[0] as string };
  const others = one.ways
    .filter(({ on }) => on === undefined || on === "max_retries_exceeded" || results.includes(on))
    .map(({ on, to, toEnd }): NaiveEdge => {
      const target = toEnd ? pick(Object.keys(ENDS), to) : pick(ids, to);
      return { from, to: target, ...(on === undefined ? {} : { on }) };
    });
  return [{ from, to: next, ...forward }, ...others];
}
