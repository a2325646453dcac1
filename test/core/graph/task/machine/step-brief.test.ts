import { stepBrief } from "../../../../../src/core/graph/task/machine/agent-work";
import { definition, gate, task } from "../../definition/definitions";

/** What an agent is told of its step. */

const told = {
  stage: "verification",
  description: "Look.",
  instructions: "Twice.",
  context_files: ["README.md"],
  config: { depth: 2 },
};
const graph = definition({ build: task(), check: gate({ ...told, outputs: ["good", "bad"], agent: "tester" }) }, [
  ["start", "build"],
  ["build", "check"],
  ["check", "done", "good"],
  ["check", "build", "bad"],
]);

test.each([
  { step: "check", brief: { id: "check", name: "Look at it", ...told, outputs: ["good", "bad"] } },
  { step: "build", brief: { id: "build", name: "Work", outputs: ["passed", "failed"] } },
  { step: "start", brief: { id: "start", name: "start" } },
])("for $step an agent gets the step's text and the possible outcomes", ({ step, brief }) =>
  expect(stepBrief(graph, step)).toEqual(brief),
);
