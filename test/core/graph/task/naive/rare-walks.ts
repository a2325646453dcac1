import type { Beginning, Call } from "./agree";
import type { NaiveEdge, NaiveFile, NaiveNode } from "./graph";

/**
 * Walks that come out of a drawing only a few times in thousands: through an end that leads on to work, and from a
 * step that has neither a retry nor another way left. They are walked on every run, so that none is left to chance.
 */
export const RARE_WALKS: [NaiveFile, Beginning, Call[]][] = [
  walk({ from: "a", to: "stage" }, [undefined, undefined]),
  walk({ from: "a", to: "stage", on: "passed" }, [undefined, "passed"]),
  walk({ from: "a", to: "stage", on: "failed" }, [undefined, "failed", "failed"]),
  walk({ from: "a", to: "a", on: "failed" }, [undefined, "failed", "failed"]),
];

/** A task with a mandate of its own, at a step with one retry; `stage` is an end that leads back to the step. */
function walk(way: NaiveEdge, results: (string | undefined)[]): [NaiveFile, Beginning, Call[]] {
  const step = { type: "task", name: "A", outputs: ["passed", "failed", "odd"], maxRetries: 1 } as NaiveNode;
  const end: NaiveNode = { type: "end", result: "success" };
  const leadsOn = way.to === "stage";
  const file: NaiveFile = {
    nodes: { start: { type: "start" }, a: step, ...(leadsOn ? { stage: end } : {}), done: end },
    edges: [
      { from: "start", to: "a" },
      way,
      { from: "a", to: "done", on: "odd" },
      ...(leadsOn ? [{ from: "stage", to: "a", on: "passed" }] : []),
    ],
  };
  const fresh: Beginning = { at: undefined, status: "PENDING", used: [], autonomy: true, child: false };
  return [file, fresh, results.map((result) => ({ result, expected: "none", taken: false }))];
}
