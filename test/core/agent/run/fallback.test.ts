import { runAgent } from "../../../../src/core/agent/run/run";
import type { Result } from "../../../../src/core/base/failure";
import type { ModelReply, ModelRequest } from "../../../../src/core/calls/host";
import { type ScriptedReply, scriptedModel } from "../../../../src/models/scripted";
import { MemoryHost } from "../../../../src/simulate/memory-host";
import { agentOf } from "./mission";

/** Models in order: the first that answers, answers (agent reference, section 5.3). */
class Listening extends MemoryHost {
  readonly asked: { model: string; retry: string | undefined }[] = [];

  override callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    this.asked.push({ model: request.model, retry: request.retry });
    return super.callModel(request);
  }
}

async function run(says: ScriptedReply[], more: object = {}) {
  const host = new Listening({ model: scriptedModel(says, "the script") });
  const begun = host.now();
  const agent = agentOf({ output: "text", model: ["a/first", "b/second", "c/third"], ...more });
  const step = await runAgent(host, { agent, context: {}, journal: null, model: "scripted" });
  return { step, asked: host.asked, took: host.now() - begun };
}

const down = (more: object = {}) => ({ error: { class: "server_error" as const, message: "down", ...more } });

test("the first model that answers is used; every model but the last gets few attempts", async () => {
  const { step, asked, took } = await run([down(), { content: "Hello.", tokens: { input: 5, output: 1 } }]);
  expect(step.return).toBe("Hello.");
  expect(asked).toEqual([
    { model: "a/first", retry: "brief" },
    { model: "b/second", retry: "brief" },
  ]);
  expect(took).toBe(200);
  expect(step.usage).toMatchObject({ llm_requests: 1, input_tokens: 5 });
});

test("the turn records the model that answered, and a warning says why", async () => {
  const { step } = await run([down(), down(), { content: "Hello.", model: "third-2025" }]);
  expect(step.turns).toMatchObject([{ model: "third-2025" }]);
  expect(step.warnings).toEqual([
    {
      code: "model_passed_over",
      message:
        "In turn 1 a/first gave no answer (LLM call failed: down), b/second gave no answer (LLM call failed: down); third-2025 answered instead.",
    },
  ]);
});

test("the last model gets all its attempts", async () => {
  const { step, asked, took } = await run([down(), down(), down({ times: 1 })]);
  expect(asked[2]).toEqual({ model: "c/third", retry: undefined });
  expect(took).toBe(200 + 200 + 200 * (2 ** 7 - 1));
  expect(step.fail).toEqual({
    reason: "llm_error",
    message: "LLM call failed: down",
    details: {
      class: "server_error",
      passed_over: [
        { model: "a/first", message: "LLM call failed: down" },
        { model: "b/second", message: "LLM call failed: down" },
      ],
    },
  });
});

test.each([
  {
    it: "a moment's rest that the first asks for is given",
    error: { retry_after_ms: 1_500, times: 1 },
    calls: 1,
    took: 1_500,
  },
  { it: "a longer one is not waited for", error: { retry_after_ms: 60_000 }, calls: 2, took: 0 },
  { it: "a name that nothing answers to is passed over at once", error: { class: "llm_not_found" }, calls: 2, took: 0 },
  { it: "a missing key too", error: { class: "config_error" }, calls: 2, took: 0 },
])("$it", async ({ error, calls, took }) => {
  const first = {
    error: { class: "rate_limit", message: "no", ...error },
    ...(calls === 1 ? { content: "Hello." } : {}),
  };
  const end = await run([first as ScriptedReply, "Hello."]);
  expect(end.step.return).toBe("Hello.");
  expect(end.asked).toHaveLength(calls);
  expect(end.took).toBe(took);
});

test("each turn starts with the first model again", async () => {
  const { asked, step } = await run([down(), "no JSON", '{"a": 1}'], { signature: "{a :int}", max_turns: 2 });
  expect(asked.map(({ model }) => model)).toEqual(["a/first", "b/second", "a/first"]);
  expect(step.return).toEqual({ a: 1 });
});

test("the run's own retry policy applies to every model of the list", async () => {
  const llm_retry = { max_attempts: 2, base_delay: 50 };
  const { asked } = await run([down(), down(), "Hello."], { llm_retry });
  expect(asked).toEqual([
    { model: "a/first", retry: "none" },
    { model: "a/first", retry: "none" },
    { model: "b/second", retry: "none" },
  ]);
});

test("a single model gets all its attempts", async () => {
  const { asked } = await run(["Hello."], { model: "a/first" });
  expect(asked).toEqual([{ model: "a/first", retry: undefined }]);
});
