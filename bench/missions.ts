import type { AgentDefinition } from "../src/core/agent/definition/definition";
import { parseAgent } from "../src/core/agent/definition/parse-agent";
import type { ScriptedReply } from "../src/models";
import { benchTools } from "./tools";
import type { HandWritten } from "./workflows/hand-written";

/** The shapes of work that are compared, each as a Navigator agent with its script and as calls for the hand-written workflow. */
export interface BenchMission {
  name: string;
  agent: AgentDefinition;
  script: ScriptedReply[];
  byHand: HandWritten;
  /** Journal commits of the mission: each may cost one event more than the activities. */
  commits: number;
}

const fenced = (program: string) => `\`\`\`clojure\n${program}\n\`\`\``;

/** A chain of n tool calls in one program, each a task of its own. */
export function toolChain(n: number, tool: "touch" | "put" | "look", options: AgentOptions = {}): BenchMission {
  const calls = Array.from({ length: n }, (_, i) => `(task "call_${i}" (tool/${tool} {:n ${i}}))`);
  return mission(`chain-${tool}-${n}${options.sequences === false ? "-alone" : ""}`, {
    tools: [tool],
    options,
    script: [fenced(`(do ${calls.join("\n")} (return {:done ${n}}))`)],
    turns: [Array.from({ length: n }, (_, i) => ({ name: tool, args: { n: i } }))],
    commits: n,
  });
}

/** n turns, each with one tool call and some new text. */
export function turns(n: number): BenchMission {
  const text = "the order was looked at and nothing was wrong with it; ".repeat(4);
  const turn = (i: number) => fenced(`(def x${i} (tool/touch {:n ${i}}))\n(println "${text}" ${i})`);
  return mission(`turns-${n}`, {
    tools: ["touch"],
    script: [
      ...Array.from({ length: n - 1 }, (_, i) => turn(i)),
      fenced(`(tool/touch {:n ${n - 1}})\n(return {:done ${n}})`),
    ],
    turns: Array.from({ length: n }, (_, i) => [{ name: "touch", args: { n: i } }]),
    commits: 0,
  });
}

/** n journal records in turns of 250: one in five is a tool call, the others are computed. */
export function records(n: number): BenchMission {
  const turn = (from: number) =>
    fenced(
      `(doseq [i (range ${from} ${from + 200})] (task (str "record_" i) {:n i}))
(pmap (fn [i] (task (str "record_" i) (tool/touch {:n i}))) (range ${from + 200} ${from + 250}))`,
    );
  return mission(`records-${n}`, {
    tools: ["touch"],
    script: [...Array.from({ length: n / 250 }, (_, i) => turn(i * 250)), fenced(`(return {:done ${n}})`)],
    turns: [],
    commits: n,
  });
}

/** n tool calls at once; those of `touch_many` are made in batches. By hand each is an activity. */
export function parallel(n: number, tool: "touch" | "touch_many"): BenchMission {
  return mission(`parallel-${tool}-${n}`, {
    tools: [tool],
    script: [fenced(`(return {:sum (reduce + (map :n (pmap #(tool/${tool} {:n %}) (range ${n}))))})`)],
    turns: [Array.from({ length: n }, (_, i) => ({ name: tool, args: { n: i } }))],
    together: true,
    commits: 0,
  });
}

/** One charge, then waiting for a person. */
export function parked(): BenchMission {
  return mission("parked", {
    tools: ["touch"],
    script: [fenced('(do (task "charge" (tool/touch {:n 1})) (return {:status :waiting}))')],
    turns: [[{ name: "touch", args: { n: 1 } }]],
    commits: 1,
  });
}

/** One call during which the worker is killed. */
export function held(tool: "hold" | "hold_read"): BenchMission {
  return mission(`held-${tool}`, {
    tools: [tool],
    script: [fenced(`(do (task "charge" (tool/${tool} {:n 1})) (return {:done 1}))`)],
    turns: [[{ name: tool, args: { n: 1 } }]],
    commits: 1,
  });
}

/** A call that a person approves, then the end. */
export function approved(): BenchMission {
  return mission("approved", {
    tools: ["pay"],
    script: [fenced('(do (task "charge" (tool/pay {:n 1})) (return {:done 1}))')],
    turns: [[{ name: "pay", args: { n: 1 } }]],
    commits: 1,
  });
}

/** Options of the agent besides those that all have. */
type AgentOptions = { sequences?: boolean };

interface Shape {
  tools: string[];
  options?: AgentOptions;
  script: string[];
  turns: HandWritten["turns"];
  together?: boolean;
  commits: number;
}

function mission(name: string, shape: Shape): BenchMission {
  return {
    name,
    commits: shape.commits,
    script: shape.script,
    agent: agent({
      name,
      prompt: "Do the benchmark's work.",
      max_turns: Math.max(2, shape.script.length),
      turn_budget: 500,
      pmap_max_concurrency: 200,
      tools: shape.tools,
      ...shape.options,
    }),
    byHand: { name, turns: shape.turns, together: shape.together ?? false, local: false, tuned: true },
  };
}

/** With whole tool specs, as `navigator run` sends them: bare names would cost a look-up on the worker. */
function agent(raw: { tools: string[]; [key: string]: unknown }): AgentDefinition {
  const specs = benchTools().describe(raw.tools);
  if (!specs.ok) throw new Error(specs.fail.message);
  const parsed = parseAgent({ ...raw, tools: specs.value });
  if (!parsed.ok) throw new Error(parsed.fail.message);
  return parsed.value;
}
