import type { Json } from "../../../../../src/core/base/json";
import type { Node } from "../../../../../src/core/graph/definition/schema";
import { outcomeOf } from "../../../../../src/core/graph/task/machine/agent-work";

const node = { type: "task", name: "S", outputs: ["passed", "failed", "unclear"] } as Node;
const plain = { type: "gate", name: "S" } as Node;

describe("the result of an agent's run for its node", () => {
  test.each<[Node, Json, string]>([
    [node, { outcome: "unclear", result: "failed" }, "unclear"],
    [node, { outcome: "odd" }, "odd"],
    [node, { result: "failed" }, "failed"],
    [node, { result: "all tests are green" }, "passed"],
    [node, { outcome: 7, result: "unclear" }, "unclear"],
    [node, "unclear", "unclear"],
    [node, "some text", "passed"],
    [node, null, "passed"],
    [node, ["failed"], "passed"],
    [node, 7, "passed"],
    [plain, "failed", "failed"],
    [plain, "unclear", "passed"],
    [plain, {}, "passed"],
    [{ type: "subflow", workflow: "w" } as Node, "failed", "failed"],
  ])("%j returning %j: %s", (at, returned, result) =>
    expect(outcomeOf(at, returned, null)).toEqual({ result, output: returned }),
  );

  test("a failed run fails its node, whatever it returned, and gives the reason", () =>
    expect(outcomeOf(node, "passed", { reason: "llm_error", message: "down", details: { a: 1 } })).toEqual({
      result: "failed",
      output: { reason: "llm_error", message: "down" },
    }));
});
