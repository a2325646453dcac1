import { LISP_LIMITS } from "../../../../../src/core/base/limits";
import { Fuel } from "../../../../../src/core/lisp/machine/fuel";
import { startProgram } from "../../../../../src/core/lisp/machine/start";
import { cases, part, sample } from "../../../../support/run/property";
import { form } from "./grammar";
import { HOARDS } from "./hoards";
import { GENERATED } from "./settings";

/**
 * Runs programs that keep what they make, in a process whose memory is small. One line for each: what the host really holds
 * at the moment at which the program is refused more, or is over.
 */

const MAX_BYTES = 8 * 1024 * 1024;
const ROWS = Array.from({ length: 50 }, (_, i) => ({ a: i, b: { c: [] } }));

const collect = (globalThis as unknown as { gc(): void }).gc;
const held = (): number => {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

let [before, taken] = [0, 0];
const measure = (): void => {
  taken = Math.max(taken, held() - before);
};

// The last moment at which everything is still there is that of the refusal, deep inside.
const budget = Fuel.prototype as unknown as Record<"outOfMemory" | "outOfFuel", () => never>;
for (const refusal of ["outOfMemory", "outOfFuel"] as const) {
  const refuse = budget[refusal];
  budget[refusal] = function (this: Fuel): never {
    if (taken === 0) measure();
    return refuse.call(this);
  };
}

function run(name: string, source: string, max_bytes: number): void {
  before = held();
  taken = 0;
  const program = startProgram({
    source,
    data: {},
    memory: new Map(),
    tools: new Map(["echo", "rows", "cached"].map((tool) => [tool, {}])),
    journal: null,
    history: [],
    budget: {},
    tool_cache: new Map(),
    // As if a tool were called now and then.
    limits: { ...LISP_LIMITS, max_steps_between_effects: LISP_LIMITS.max_steps, max_bytes },
    now: () => 0,
  });
  for (;;) {
    const state = program.run();
    if (state.state === "done") {
      if (taken === 0) measure();
      const { outcome } = state.end;
      const end = outcome.kind === "error" ? (outcome.fail.details?.code ?? "") : outcome.kind;
      console.log(JSON.stringify({ name, end, taken, max_bytes }));
      return;
    }
    for (const { id, name: tool, args } of state.requests)
      program.resume(id, { ok: true, value: tool === "rows" ? structuredClone(ROWS) : args });
  }
}

if (process.argv[2] === "generated") {
  const names =
    '(def x 1) (def y [1 nil "a"]) (def z {:a 1}) (def n 3) (def f (fn [& v] (first v))) (def rr (range 400))';
  for (const one of sample(form, cases(GENERATED)))
    run(one, `${names} (count (for [_ rr i rr] ${one}))`, MAX_BYTES / 4);
} else for (const [name, source] of part(HOARDS)) run(name, source, MAX_BYTES);
console.log(
  JSON.stringify({ name: "left open", end: process.getActiveResourcesInfo().filter((one) => one !== "PipeWrap") }),
);
