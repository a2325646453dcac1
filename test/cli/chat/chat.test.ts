import { ModelText } from "../../../src/cli/session/model-text";
import { createIo } from "../../../src/cli/terminal/io";
import type { StreamEntry } from "../../../src/core/history/stream/entry";
import { openPlace, type Place } from "../../support/cli";
import { deepTest } from "../../support/run/deep";
import { until } from "../../support/until";

/** `navigator chat`, and what `navigator run` shows while a model speaks. */

let place: Place;
let worker: Awaited<ReturnType<Place["worker"]>>;
beforeAll(async () => {
  place = await openPlace("chat");
  place.write(
    "agents/guide.yaml",
    "output: text\nprompt: Guide.\nsystem_prompt: You guide people.\ntools: [look]\nmax_turns: 3\n",
  );
  place.write("agents/payer.yaml", "output: text\nprompt: Pay.\ntools: [pay]\nmax_turns: 3\n");
  place.write(
    "navigator.config.cjs",
    `const { defineTool } = require("navigator-agents");
const { z } = require(${JSON.stringify(require.resolve("zod"))});
module.exports = {
  agents: "./agents",
  tools: [
    defineTool({ name: "look", input: z.object({ at: z.string() }), run: ({ at }) => ({ seen: at }) }),
    defineTool({ name: "pay", input: z.object({ cents: z.number() }), effect: "write", approval: true, run: () => ({ receipt: 7 }) }),
  ],
  script: {
    guide: [
      { if_contains: "Which way?", chunks: ["Go ", "left."] },
      { if_contains: "And then?", content: "Right." },
      { if_contains: "Fail", error: { class: "client_error", message: "no way" } },
      { if_contains: "seen", content: "I see it." },
      { if_contains: "Look", content: "", tool_calls: [{ id: "c", name: "look", args: { at: "the hill" } }] },
    ],
    payer: [
      { content: "I pay.", tool_calls: [{ id: "c", name: "pay", args: { cents: 5 } }] },
      { content: "Paid." },
    ],
  },
};
`,
  );
  worker = await place.worker();
});
afterAll(async () => {
  await worker?.stop();
  place?.close();
});

const chat = (...args: string[]) => ["chat", ...args, "--no-worker"];

test("each line is answered in turn, and an earlier chat goes on with its id", async () => {
  const first = await place.run(chat("guide", "--id", "trip"), { input: "Which way?\n\nLook at the hill.\n" });
  expect(first).toMatchObject({ code: 0, stdout: "Go left.\nI see it.\n" });
  expect(first.stderr).toContain("navigator chat guide --id trip");
  expect(first.stderr).toContain('  look {"at":"the hill"} -> { "seen": "the hill" }');
  const next = await place.run(chat("guide", "--id", "trip", "--json"), { input: "And then?\n" });
  expect(
    next.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ number: 3, workflow_id: "agent/chat-trip-3", answer: "Right." }]);
  expect(next.stderr).toContain("> Look at the hill.\nI see it.\n");
});

deepTest("a message without an answer is told with its code, and the command says so at its end", async () => {
  const end = await place.run(["chat", "guide"], { input: "Fail\nWhich way?\n" });
  expect(end).toMatchObject({ code: 1, stdout: "Go left.\n" });
  expect(end.stderr).toMatch(/error \[llm_error\] .*no way/);
});

deepTest("a call that people must approve is named with the command that decides it", async () => {
  const talking = place.run(chat("payer", "--id", "bill"), { input: "Pay it.\n" });
  const here = place.here();
  const found = await until(async () => (await here.json(["review", "list"])).open[0], "a review");
  await here.json(["review", "decide", found.review.id, "approve", "--by", "ada"]);
  const end = await talking;
  expect(end).toMatchObject({ code: 0, stdout: "I pay.\nPaid.\n" });
  expect(end.stderr).toContain(
    "Waiting for a person: Call pay?  (navigator review decide agent/chat-bill-1/pay/1 approve|reject)",
  );
});

test("it asks for an agent where there are several", async () => {
  expect(await place.here().refused(["chat"], { code: 2 })).toMatchObject({
    code: "bad_usage",
    details: { path: "AGENT" },
    hint: expect.stringContaining("guide"),
  });
});

test("a run shows on stderr what its model says, if it is asked to", async () => {
  const run = ["run", "guide", "--context", "{}", "--stream"];
  place.write("script.yaml", "- chunks: [One, ' two.']\n");
  const end = await place.here().run([...run, "--model", "scripted:script.yaml", "--json"]);
  expect(end.stderr).toContain("turn 1 (scripted:");
  expect(end.stderr).toContain("One two.");
  expect(JSON.parse(end.stdout)).toMatchObject({ step: { return: "One two." } });
});

describe("the text of models on a terminal", () => {
  function shown(entries: StreamEntry[][]): string {
    let all = "";
    const write = (text: string) => {
      all += text;
    };
    const stream = { write, isTTY: true };
    const io = createIo({ stdout: stream, stderr: stream }, { NO_COLOR: "1" });
    const text = new ModelText(io, "agent/x");
    for (const some of entries) text.take(some);
    io.err("  recorded it");
    return all;
  }
  const begin = (id: string, call: number, attempt: number, workflow_id = "agent/x"): StreamEntry => ({
    ...{
      type: "begin",
      attempt_id: id,
      workflow_id,
      run_id: "r",
      agent: "helper",
      model: "m",
      turn: call,
      call,
      attempt,
      at: 0,
    },
  });
  const say = (attempt_id: string, text: string): StreamEntry => ({ type: "text", attempt_id, text });
  const end = (attempt_id: string, length: number): StreamEntry => ({ type: "end", attempt_id, length });

  test("comes piece by piece, and says when it begins anew", () =>
    expect(
      shown([
        [begin("a", 1, 1), say("a", "One")],
        [begin("b", 1, 2)],
        [say("b", "On")],
        [say("b", "e.")],
        [end("b", 4)],
      ]),
    ).toBe("turn 1 (m)\nOne\n(it broke off, and begins anew)\nOne.\n  recorded it\n"));
  test("ends its line before another one is written", () =>
    expect(shown([[begin("a", 1, 1), say("a", "One")]])).toBe("turn 1 (m)\nOne\n  recorded it\n"));
  test("of calls beside each other is not mixed", () =>
    expect(
      shown([
        [begin("a", 1, 1), begin("b", 1, 1, "agent/x/helper/1.1"), say("a", "O"), say("b", "Tw")],
        [say("a", "ne"), end("a", 3), say("b", "o"), end("b", 3)],
      ]),
    ).toBe("turn 1 (m)\nOne\nhelper, turn 1 (m)\nTwo\n  recorded it\n"));
});
