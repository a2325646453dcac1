import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { HOG_BYTES } from "./short-rules";

const program = (source: string) => ({
  content: `\`\`\`clojure\n${source}\n\`\`\``,
  tokens: { input: 100, output: 20, total_cost: 0.001 },
});
const fenced = (source: string) => [program(source)];

/** What the scripted model answers, by agent. */
const SCRIPT = {
  pay: fenced(
    '(do (task "one" (tool/charge {:n data/n :part 1})) (task "two" (tool/charge {:n data/n :part 2})) (return {:n data/n}))',
  ),
  refund: fenced('(do (task "refund" (tool/refund {:n data/n :part 1})) (return {:n data/n}))'),
  parked: [
    program("(return {:status :waiting})"),
    program('(do (task "late" (tool/charge {:n data/n :part 1})) (return {:n data/n}))'),
  ],
  research: fenced("(return {:n data/n :sum (reduce + (map :n (pmap #(tool/look {:n %}) (range 20))))})"),
  step: fenced('(do (task "one" (tool/charge {:n data/n :part 1})) (return {:outcome "passed"}))'),
  late: fenced("(return (tool/late {:n data/n}))"),
  fails: fenced('(fail {:reason "no_luck" :message "It was not to be."})'),
  dear: [{ ...program("(return {:n data/n})"), tokens: { input: 1_000_000, output: 100_000, total_cost: 9 } }],
  holds: fenced("(return {:n data/n :sum (reduce + (map :n (pmap #(tool/hold {:n %}) (range 60))))})"),
  secret: fenced("(return {:n data/n})"),
  ships: fenced('(do (task "ship" (tool/ship {:n data/n :part 1})) (return {:n data/n}))'),
};

/** A project in a folder: `v1` and `v2` are two states of its code, of which the second has one more tool. */
export function writeProject(folder: string): void {
  for (const version of ["v1", "v2"]) {
    mkdirSync(path.join(folder, version), { recursive: true });
    writeFileSync(path.join(folder, version, "script.json"), JSON.stringify(SCRIPT));
    writeFileSync(path.join(folder, version, "navigator.config.cjs"), config(version));
  }
  mkdirSync(path.join(folder, "v1/agents"));
  writeFileSync(path.join(folder, "v1/agents/secret.yaml"), 'prompt: Keep {{n}}.\nsignature: "(n :int) -> {n :int}"\n');
  mkdirSync(path.join(folder, "logs"), { recursive: true });
}

const config = (version: string): string => `
const { defineTool } = require("navigator-agents");
const call = (place) => async (args, { idempotencyKey, signal }) => {
  const answer = await fetch(process.env.SOAK_SERVICE + place, {
    method: "POST",
    headers: { "idempotency-key": idempotencyKey, "content-type": "application/json" },
    body: JSON.stringify(args),
    signal,
  });
  if (!answer.ok) throw new Error("The service answers " + answer.status);
  return answer.json();
};
const signature = "(n :int, part :int) -> {n :int}";
const one = "(n :int) -> {n :int}";
// A process that takes more memory than it should.
if (process.env.SOAK_HOG) globalThis.hog = Buffer.alloc(${HOG_BYTES}, 1);
module.exports = {
  project: "soak",
  script: "./script.json",
  ${version === "v1" ? 'agents: "./agents",' : ""}
  notify: { webhook: { url: process.env.SOAK_SERVICE + "/messages", allow_plain: true } },
  tools: [
    defineTool({ name: "charge", signature, effect: "write", run: call("/charge") }),
    defineTool({ name: "refund", signature, effect: "write", approval: true, run: call("/charge") }),
    defineTool({ name: "look", signature: one, effect: "read", run: async ({ n }) => ({ n }) }),
    defineTool({ name: "hold", signature: one, effect: "write", run: call("/hold") }),
    defineTool({ name: "ship", signature, effect: "irreversible", task_queue: "soak-extra", run: call("/ship") }),
    ${version === "v2" ? 'defineTool({ name: "late", signature: one, effect: "read", run: async ({ n }) => ({ n }) }),' : ""}
  ],
};
`;
