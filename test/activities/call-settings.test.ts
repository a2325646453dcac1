import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { withToolSpecs } from "../../src/core/agent/tools/with-specs";
import { callInput } from "../../src/core/calls/call-input";
import type { ToolSpec } from "../../src/core/calls/tool";
import { defineTool } from "../../src/tools";
import { CallsRig, chain, listed, listedInput, programInput } from "./calls-rig";

/** The settings that an agent has for a tool reach the activity of a call. */

/** Answers after three seconds, or when its call is given up. */
const slow = defineTool({
  name: "pay",
  signature: "(n :int) -> :int",
  batch: true,
  run: (_, { signal }) =>
    new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => resolve(1), 3_000);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    }),
});

/** The spec of the tool, with what an agent says of it. */
function specOf(own: object): ToolSpec {
  const read = parseAgent({ name: "a", prompt: "Do it.", tools: [{ name: "pay", ...own }] });
  if (!read.ok) throw new Error(read.fail.message);
  return withToolSpecs(read.value, [slow.spec]).tools[0] as ToolSpec;
}

const CALL = { name: "pay", args: { n: 1 }, key: "k1", turn: 1, call: 1 };

test("the time limit that an agent sets for a tool ends a call that is made side by side with others", async () => {
  const { settings } = callInput(CALL, specOf({ timeout_ms: 50 }), { agent: "a" });
  const result = await new CallsRig([slow]).run(listedInput(listed(1, { settings })));
  expect(result).toMatchObject({ made: [], open: [{ n: 1, attempts: 1 }] });
});

test("and a call of a sequence", async () => {
  const tools = [{ name: "pay", timeout_ms: 50 }];
  const result = await new CallsRig([slow]).run(await programInput(chain(1, 2), [slow], { tools }));
  expect(result).toMatchObject({ made: [], end: "open", open: [{ n: 1, attempts: 1 }] });
});

test("a call of a tool without such settings has none", () =>
  expect(callInput(CALL, specOf({}), { agent: "a" })).toEqual({
    ...{ name: "pay", args: { n: 1 }, idempotency_key: "k1", agent: "a", task: null, turn: 1 },
  }));
