import type { StartAgent } from "../../../src/client/client";
import { type Chunk, createModels } from "../../../src/models";
import { Loopback } from "../../models/loopback";
import { chat } from "../../models/stream-wire";
import { historyText } from "../../support/history-text";
import { agent, openRig, type Rig } from "../../support/rig";
import { stepEssence } from "../../support/step-essence";

/** A provider that streams over HTTP, a worker that has listeners, a run that names one. */
const TALE = { pieces: [...chat.begin, chat.text("Once "), chat.text("upon "), chat.text("a time."), ...chat.end] };
const SCRIPT = [{ chunks: ["Once ", "upon ", "a time."], tokens: { input: 12, output: 5 } }];

let provider: Loopback;
let rig: Rig;
let heard: Chunk[];

beforeAll(async () => {
  provider = await new Loopback().start();
  rig = await openRig({
    models: createModels({ env: { NAVIGATOR_BASE_URL: `${provider.url}/v1` }, script: SCRIPT }),
    onChunk: {
      screen: (chunk) => void heard.push(chunk),
      broken: (chunk) => {
        heard.push(chunk);
        throw new Error("no paper");
      },
    },
  });
});
beforeEach(() => {
  heard = [];
});
afterAll(async () => {
  await rig.stop();
  await provider.close();
});

const teller = agent({ name: "teller", prompt: "Tell a tale.", output: "text" });
async function tell(more: Partial<StartAgent> = {}) {
  const run = await rig.client.startAgent({ agent: teller, model: "openai-compatible/m", ...more });
  return { step: await run.result(), id: run.workflow.workflowId };
}

test("pieces arrive in order, and no piece is in the history", async () => {
  provider.reset(TALE);
  const { step, id } = await tell({ on_chunk: "screen" });
  expect(step).toMatchObject({ return: "Once upon a time.", usage: { input_tokens: 12, output_tokens: 5 } });
  const place = { workflowId: id, agent: "teller", turn: 1, attempt: 1, model: "openai-compatible/m" };
  expect(heard).toEqual([
    { ...place, text: "Once " },
    { ...place, text: "upon " },
    { ...place, text: "a time." },
    { ...place, text: "", done: true },
  ]);
  const history = historyText(await rig.client.history(id));
  expect(history.match(/Once/g)?.length).toBeGreaterThan(0);
  expect(history.match(/Once/g)).toHaveLength(history.match(/Once upon a time\./g)?.length ?? 0);
});

test.each(["screen", "broken"])("with the listener %s the Step is the same as without one", async (on_chunk) => {
  const without = await tell({ model: "scripted" });
  expect(heard).toEqual([]);
  const { step } = await tell({ model: "scripted", on_chunk });
  expect(heard).toHaveLength(on_chunk === "screen" ? 4 : 1);
  expect(stepEssence(step)).toEqual(stepEssence(without.step));
});

test("a stream that breaks in the middle ends the run; no model is called again", async () => {
  provider.reset({ pieces: [...chat.begin, chat.text("Once "), "hang up"] });
  const { step } = await tell({
    agent: { ...teller, model: ["openai-compatible/m", "scripted"] },
    on_chunk: "screen",
    llm_retry: { max_attempts: 3, base_delay: 1 },
  });
  expect(step.fail).toMatchObject({ reason: "llm_error", details: { class: "server_error", heard: true } });
  expect(heard.map(({ text }) => text)).toEqual(["Once "]);
  expect(provider.seen).toHaveLength(1);
});

test("an unknown listener ends the run, and no provider is called", async () => {
  provider.reset(TALE);
  const { step } = await tell({ on_chunk: "scren" });
  expect(step.fail).toMatchObject({
    reason: "listener_not_found",
    message: 'There is no listener "scren" for on_chunk here. Listeners: screen, broken.',
  });
  expect(step.usage?.turns).toBe(0);
  expect(provider.seen).toEqual([]);
});

test("a cancelled run closes its stream", async () => {
  provider.reset({ pieces: [...chat.begin, chat.text("Once "), new Promise(() => {})] });
  const run = await rig.client.startAgent({ agent: teller, model: "openai-compatible/m", on_chunk: "screen" });
  while (heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
  await run.workflow.cancel();
  await provider.untilAbandoned();
  await expect(run.workflow.result()).rejects.toMatchObject({ cause: { name: "CancelledFailure" } });
  expect(heard).toHaveLength(1);
});

test("a conversation is streamed as well", async () => {
  provider.reset(TALE);
  const answer = await rig.client.chat(teller, "Another one!", { model: "openai-compatible/m", on_chunk: "screen" });
  expect(answer.text).toBe("Once upon a time.");
  expect(heard.map(({ text }) => text).join("")).toBe(answer.text);
});
