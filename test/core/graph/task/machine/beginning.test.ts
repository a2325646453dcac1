import { nodeOf } from "../../../../../src/core/graph/definition/schema";
import { beginningAt, type Situation } from "../../../../../src/core/graph/task/machine/task-machine";
import { definition, gate, task } from "../../definition/definitions";

/** One node of each type. */
const flow = definition(
  {
    build: task({ agent: "coder" }),
    look: gate(),
    split: { type: "fork", join: "meet" },
    left: task(),
    right: task(),
    meet: { type: "join", fork: "split", strategy: "all-pass" },
    other: { type: "subflow", workflow: "other-flow" },
    failed: { type: "end", result: "failure" },
  },
  [
    ["start", "build"],
    ["build", "look"],
    ["look", "split", "passed"],
    ["look", "failed", "failed"],
    ["split", "left"],
    ["split", "right"],
    ["left", "meet"],
    ["right", "meet"],
    ["meet", "other", "passed"],
    ["meet", "failed", "failed"],
    ["other", "done", "passed"],
    ["other", "human", "failed"],
    ["human", "build", "passed"],
  ],
);
const USUAL: Situation = { status: "PENDING", drivesItself: true, hasAgent: false, asked: false };

test.each<[node: string, situation: Partial<Situation>, begins: string]>([
  ["start", {}, "move"],
  ["start", { drivesItself: false }, "nothing"],
  ["start", { status: "PAUSED" }, "nothing"],
  ["build", {}, "nothing"],
  ["build", { hasAgent: true }, "agent"],
  ["build", { hasAgent: true, asked: true }, "nothing"],
  ["build", { hasAgent: true, status: "PAUSED" }, "nothing"],
  ["build", { hasAgent: true, status: "REMOVED" }, "nothing"],
  ["look", {}, "gateReview"],
  ["look", { asked: true }, "nothing"],
  ["look", { hasAgent: true }, "agent"],
  ["human", { status: "HITL" }, "escalationReview"],
  ["human", { status: "HITL", asked: true }, "nothing"],
  ["build", { status: "HITL" }, "escalationReview"],
  ["split", {}, "branches"],
  ["split", { asked: true }, "nothing"],
  ["other", {}, "subflow"],
  ["meet", {}, "nothing"],
  ["done", { status: "COMPLETED" }, "nothing"],
  ["failed", { status: "FAILED" }, "nothing"],
  ["unknown", {}, "nothing"],
])("at %s with %o the machine starts %s", (node, situation, begins) =>
  expect(beginningAt(nodeOf(flow, node), { ...USUAL, ...situation })).toBe(begins),
);
