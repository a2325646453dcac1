import { defineAgent } from "../../src/project/authoring/define-agent";
import { assertFailed, assertReturned, runInMemory } from "../../src/testing";

/** Listeners in the test kit: the test's own functions, told as a worker would tell them. */
const teller = defineAgent({ name: "teller", prompt: "Tell a tale.", output: "text" });
const script = [{ chunks: ["Once ", "upon"] }];

test("the test's own listener hears what a worker's would, and the run keeps it", async () => {
  const texts: string[] = [];
  const run = await runInMemory(teller, {
    id: "t",
    script,
    options: { on_chunk: "screen" },
    onChunk: { screen: ({ text, workflowId }) => void texts.push(`${workflowId}: ${text}`) },
  });
  assertReturned(run, "Once upon");
  expect(texts).toEqual(["agent/t: Once ", "agent/t: upon", "agent/t: "]);
  const place = { listener: "screen", agent: "teller", turn: 1, attempt: 1, model: "scripted" };
  expect(run.chunks).toEqual([
    { ...place, text: "Once " },
    { ...place, text: "upon" },
    { ...place, text: "", done: true },
  ]);
});

test("a model's fault before its first piece ends a streaming run", async () => {
  const onChunk = { screen: () => {} };
  const options = { on_chunk: "screen" };
  const run = await runInMemory(teller, { script, onChunk, options, faults: [{ model: 429 }] });
  assertFailed(run, "llm_error");
  expect(run.chunks).toEqual([]);
});

test("a listener that fails is a warning of the process, not a failure of the run", async () => {
  const warnings = jest.spyOn(process, "emitWarning").mockImplementation(() => {});
  const broken = () => Promise.reject(new Error("no paper"));
  const run = await runInMemory(teller, { script, options: { on_chunk: "broken" }, onChunk: { broken } });
  assertReturned(run, "Once upon");
  expect(warnings.mock.calls).toEqual([
    ["listener_failed: listener broken of agent/test no paper", "NavigatorWarning"],
  ]);
  warnings.mockRestore();
});

test("a missing listener ends the run", async () =>
  assertFailed(await runInMemory(teller, { script, options: { on_chunk: "screen" } }), "listener_not_found"));
