import { type ModelCall, ModelError, parseScript, type Script, scriptedModel } from "../../src/models";

const asked = (call: Partial<ModelCall>): ModelCall => ({
  model: "scripted",
  agent: "charge",
  turn: 1,
  call: 1,
  system: "",
  messages: [],
  tool_names: [],
  ...call,
});
const signal = new AbortController().signal;
const reply = async (script: Script, call: Partial<ModelCall> = {}) =>
  (await scriptedModel(script, "the script").complete(asked(call), { signal })).content;
const failure = (script: Script, call: Partial<ModelCall> = {}): Promise<ModelError> =>
  reply(script, call).then(
    (content) => Promise.reject(new Error(`answered ${content}`)),
    (error: ModelError) => error,
  );

describe("the reply for a call", () => {
  const script: Script = { charge: ["one", { content: "two" }], default: ["other"] };

  test.each([
    { call: { call: 1 }, content: "one" },
    { call: { call: 2 }, content: "two" },
    // A worker that starts anew has no memory of what it answered before.
    { call: { call: 2, turn: 1 }, content: "two" },
    { call: { call: 1, agent: "ship" }, content: "other" },
    { call: { call: 1, agent: null }, content: "other" },
  ])("$call gets $content", async ({ call, content }) => expect(await reply(script, call)).toBe(content));

  test("a plain list is for every agent", async () =>
    expect(await reply(["a", "b"], { agent: "x", call: 2 })).toBe("b"));

  test.each([
    { script, call: { call: 3 }, says: 'the script has no reply for model call 3 of agent "charge": there are 2.' },
    { script, call: { call: 2, agent: null }, says: "no reply for model call 2 of an agent without a name" },
    { script: { a: [], b: [] }, call: {}, says: 'no replies for agent "charge". It has replies for: a, b.' },
    { script: { a: [] }, call: { agent: "constructor" }, says: 'no replies for agent "constructor"' },
    { script: [{ content: "x", if_contains: "y" }], call: {}, says: "there are 0, and none of its 1 rules fits" },
  ] as { script: Script; call: Partial<ModelCall>; says: string }[])(
    "using up the script is final, and names the agent: $says",
    async ({ script, call, says }) => {
      const error = await failure(script, call);
      expect(error).toMatchObject({ errorClass: "script_exhausted", retryable: false });
      expect(error.message).toContain(says);
    },
  );
});

describe("rules", () => {
  const script: Script = [
    "charge and wait",
    { if_contains: "[done] confirmed_42", content: "finish" },
    { if_contains: ["Mission Log", "charge_42"], if_missing: ["confirmed_42"], content: "still waiting" },
    "second",
  ];

  test.each([
    { it: "no rule fits", call: {}, content: "charge and wait" },
    { it: "rules do not count as replies", call: { call: 2 }, content: "second" },
    {
      it: "the system prompt shows it",
      call: { call: 9, system: "# Mission Log\n- [done] confirmed_42" },
      content: "finish",
    },
    { it: "one text of two is not enough", call: { system: "# Mission Log" }, content: "charge and wait" },
    {
      it: "nothing unwanted is shown",
      call: { system: "# Mission Log\n- [done] charge_42" },
      content: "still waiting",
    },
    {
      it: "the last message shows it",
      call: { messages: [{ role: "user" as const, content: "[done] confirmed_42" }] },
      content: "finish",
    },
    {
      it: "an earlier message does not count",
      call: {
        messages: [
          { role: "user" as const, content: "[done] confirmed_42" },
          { role: "user" as const, content: "go on" },
        ],
      },
      content: "charge and wait",
    },
  ])("$it: $content", async ({ call, content }) => expect(await reply(script, call)).toBe(content));
});

describe("scripted errors", () => {
  test("an error fails with its class and its wait, on every attempt", async () => {
    const script: Script = [{ error: { class: "rate_limit", message: "slow down", retry_after_ms: 30 } }];
    expect(await failure(script, { attempt: 1 })).toMatchObject({ errorClass: "rate_limit", retry_after_ms: 30 });
    expect(await failure(script, { attempt: 5 })).toMatchObject({ message: "slow down" });
  });

  test("an error with a content fails its number of attempts, then answers", async () => {
    const script: Script = [{ error: { class: "server_error", message: "busy", times: 2 }, content: "at last" }];
    expect(await failure(script, { attempt: 2 })).toMatchObject({ errorClass: "server_error" });
    expect(await reply(script, { attempt: 3 })).toBe("at last");
  });
});

test("the answer has its tokens and the model's name", async () =>
  expect(
    await scriptedModel([{ content: "x", tokens: { input: 3, output: 1 }, model: "m" }], "s").complete(asked({}), {
      signal,
    }),
  ).toEqual({ content: "x", tokens: { input: 3, output: 1 }, model: "m" }));

test("a delayed answer can be cancelled", async () => {
  const controller = new AbortController();
  const slow = scriptedModel([{ content: "x", delay_ms: 60_000 }], "s").complete(asked({}), {
    signal: controller.signal,
  });
  controller.abort(new Error("cancelled"));
  await expect(slow).rejects.toThrow("cancelled");
});

describe("a reply in chunks", () => {
  const pieces: Script = [{ chunks: ["Once ", "upon"], delay_ms: 3, tokens: { output: 2 } }];
  const aloud = async (script: Script, wait?: (ms: number) => Promise<void>) => {
    const heard: string[] = [];
    const model = scriptedModel(script, "the script", wait);
    const ended = await model.complete(asked({}), { signal, onText: (piece) => void heard.push(piece) }).catch(String);
    return { heard, ended };
  };

  test("is sent piece by piece, with its delay before each, and returned whole", async () => {
    const waits: number[] = [];
    const wait = async (ms: number) => void waits.push(ms);
    const { heard, ended } = await aloud(pieces, wait);
    expect(heard).toEqual(["Once ", "upon"]);
    expect(ended).toEqual({ content: "Once upon", model: "scripted", tokens: { output: 2 } });
    expect(waits).toEqual([3, 3]);
  });

  test("is ordinary content if nobody listens", async () => expect(await reply(pieces)).toBe("Once upon"));

  test("ends after its pieces if it has an error", async () => {
    const { heard, ended } = await aloud([{ chunks: ["Once "], error: { message: "the line is dead" } }]);
    expect([heard, ended]).toEqual([["Once "], "ModelError: the line is dead"]);
  });
});

describe("an invalid script", () => {
  test.each([
    { raw: "x", says: "s.json is not a script: script: a script is a list of replies, or an object" },
    { raw: null, says: "a script is a list of replies" },
    { raw: [1], says: "0: a reply is a text, {content}, {chunks}, {tool_calls} or {error: {class, message}}" },
    { raw: { charge: "x" }, says: "charge: " },
    { raw: { charge: ["ok", { contents: "x" }] }, says: 'charge.1: Unrecognized key: "contents"' },
    {
      raw: { charge: [{ tokens: { input: 1 } }] },
      says: "charge.0: a reply has `content`, `chunks`, `tool_calls` or `error`",
    },
    { raw: [{ content: "x", chunks: ["x"] }], says: "0: a reply has `content` or `chunks`, not both" },
    { raw: [{ content: "x", tokens: { input: -1 } }], says: "0.tokens.input: " },
    { raw: [{ error: { class: "oops", message: "m" } }], says: "0.error.class: " },
  ])("$raw is refused: $says", ({ raw, says }) => {
    const parse = () => parseScript(raw, "s.json");
    expect(parse).toThrow(ModelError);
    expect(parse).toThrow(says);
    expect(parse).toThrow(expect.objectContaining({ errorClass: "config_error" }));
  });
});
