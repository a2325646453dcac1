import { createModels, type ModelCall, ModelError } from "../../src/models";
import { type Answer, Loopback, type Piece } from "./loopback";
import { KEY, wireOf } from "./wire";

/** Answers that come piece by piece over HTTP, in each provider's own words: what is heard, and what comes of it. */
const asked = (more: Partial<ModelCall> = {}): ModelCall => ({
  model: "ignored",
  agent: "clerk",
  turn: 1,
  call: 1,
  attempt: 1,
  system: "You answer.",
  messages: [{ role: "user", content: "Tell me a tale." }],
  output: "text",
  tool_names: [],
  ...more,
});

const event = (data: unknown, name?: string): Piece =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

const chatChunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  event({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m-2025",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
const USAGE = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 8 },
};

const chat = {
  begin: [chatChunk({ role: "assistant", content: "" })],
  text: (text: string) => chatChunk({ content: text }),
  end: [
    chatChunk({}, "stop"),
    event({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m-2025", choices: [], usage: USAGE }),
    event("[DONE]"),
  ],
};

const SHAPES: {
  model: string;
  env(url: string): NodeJS.ProcessEnv;
  begin: Piece[];
  text(text: string): Piece;
  end: Piece[];
  asksToStream(seen: { path: string; body: { stream?: boolean } }): boolean;
}[] = [
  {
    model: "openai-compatible/m",
    env: (url) => ({ NAVIGATOR_BASE_URL: `${url}/v1`, NAVIGATOR_API_KEY: KEY }),
    ...chat,
    asksToStream: ({ body }) => body.stream === true,
  },
  {
    model: "openai/m",
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY }),
    ...chat,
    asksToStream: ({ body }) => body.stream === true,
  },
  {
    model: "anthropic/claude-sonnet-4-5",
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
    begin: [
      event(
        {
          type: "message_start",
          message: {
            id: "msg_1",
            type: "message",
            role: "assistant",
            model: "m-2025",
            content: [],
            stop_reason: null,
            stop_sequence: null,
            usage: { input_tokens: 4, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 8 },
          },
        },
        "message_start",
      ),
      event(
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        "content_block_start",
      ),
    ],
    text: (text) =>
      event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }, "content_block_delta"),
    end: [
      event({ type: "content_block_stop", index: 0 }, "content_block_stop"),
      event(
        { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
        "message_delta",
      ),
      event({ type: "message_stop" }, "message_stop"),
    ],
    asksToStream: ({ body }) => body.stream === true,
  },
  {
    model: "google/gemini-3-pro",
    env: (url) => ({ GOOGLE_BASE_URL: url, GEMINI_API_KEY: KEY }),
    begin: [],
    text: (text) =>
      event({ modelVersion: "m-2025", candidates: [{ index: 0, content: { role: "model", parts: [{ text }] } }] }),
    end: [
      event({
        modelVersion: "m-2025",
        candidates: [{ index: 0, finishReason: "STOP", content: { role: "model", parts: [{ text: "" }] } }],
        usageMetadata: {
          promptTokenCount: 12,
          candidatesTokenCount: 5,
          totalTokenCount: 17,
          cachedContentTokenCount: 8,
        },
      }),
    ],
    asksToStream: ({ path }) => path.includes("streamGenerateContent"),
  },
];

let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const never = new AbortController().signal;

describe.each(SHAPES)("$model", (shape) => {
  const listen = async (
    answers: Answer[],
    { call = asked(), signal = never }: { call?: ModelCall; signal?: AbortSignal } = {},
  ) => {
    loopback.reset(...answers);
    const heard: string[] = [];
    const model = createModels({ env: { ...shape.env(loopback.url) } }).resolve(shape.model);
    const ended = await model.complete(call, { signal, onText: (piece) => heard.push(piece) }).then(
      (reply) => ({ reply, error: undefined }),
      (error: unknown) => ({ reply: undefined, error }),
    );
    return { heard, model, ...ended };
  };

  test("pieces are heard in order, and the reply is what it is without streaming", async () => {
    const { heard, reply, error } = await listen([
      { pieces: [...shape.begin, shape.text("Once "), shape.text("upon "), shape.text("a time."), ...shape.end] },
    ]);
    expect(error).toBeUndefined();
    expect(heard).toEqual(["Once ", "upon ", "a time."]);
    expect(reply).toMatchObject({ content: "Once upon a time.", tokens: { input: 12, output: 5, cache_read: 8 } });
    expect(loopback.seen.map((seen) => shape.asksToStream(seen))).toEqual([true]);
  });

  test("pieces are heard when they come, not at the end", async () => {
    const hold = gate();
    loopback.reset({ pieces: [...shape.begin, shape.text("Once "), hold.opened, shape.text("more."), ...shape.end] });
    const heard: string[] = [];
    const model = createModels({ env: shape.env(loopback.url) }).resolve(shape.model);
    const reply = await model.complete(asked(), {
      signal: never,
      onText: (piece) => {
        heard.push(piece);
        // What comes next is sent only now: a model that gathered its answer first would never end.
        hold.open();
      },
    });
    expect(heard).toEqual(["Once ", "more."]);
    expect(reply.content).toBe("Once more.");
  });

  test("a connection that breaks in the middle is a server_error; what came was heard", async () => {
    const { heard, error } = await listen([{ pieces: [...shape.begin, shape.text("Once "), "hang up"] }]);
    expect(heard).toEqual(["Once "]);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ errorClass: "server_error" });
    expect(loopback.seen).toHaveLength(1);
  });

  test("a stream that ends before its answer does is no answer", async () => {
    const { heard, error } = await listen([{ pieces: [...shape.begin, shape.text("Once ")] }]);
    expect(heard).toEqual(["Once "]);
    expect(error).toMatchObject({ errorClass: "malformed_response" });
    expect(loopback.seen).toHaveLength(1);
  });

  test.each([
    { status: 429, errorClass: "rate_limit" },
    { status: 500, errorClass: "server_error" },
    { status: 401, errorClass: "auth_error" },
  ])("$status is $errorClass, as it is without streaming", async ({ status, errorClass }) => {
    const { heard, error } = await listen([{ status, body: { error: { message: "no", type: "x" }, type: "error" } }]);
    expect(heard).toEqual([]);
    expect(error).toMatchObject({ errorClass });
    expect(loopback.seen).toHaveLength(1);
  });

  test("a call that is cancelled in the middle ends with the reason, and its connection is closed", async () => {
    const controller = new AbortController();
    const reason = new Error("cancelled");
    loopback.reset({ pieces: [...shape.begin, shape.text("Once "), new Promise(() => {})] });
    const model = createModels({ env: shape.env(loopback.url) }).resolve(shape.model);
    const call = model.complete(asked(), { signal: controller.signal, onText: () => controller.abort(reason) });
    await expect(call).rejects.toBe(reason);
    await loopback.untilAbandoned();
  });
});

describe("an OpenAI-compatible server", () => {
  const open = () => createModels({ env: { NAVIGATOR_BASE_URL: `${loopback.url}/v1` } }).resolve("openai-compatible/m");
  const WHOLE = { body: wireOf("openai-compatible").reply({ text: "Once upon a time." }) };
  const streamed = () => loopback.seen.map(({ body }) => body.stream === true);

  test.each([
    { it: "refuses the request", answer: { status: 400, body: { error: { message: "stream is not supported" } } } },
    { it: "answers in one piece", answer: WHOLE },
  ])("that $it is asked again without streaming, and only once in its life", async ({ answer }) => {
    loopback.reset(answer, WHOLE);
    const heard: string[] = [];
    const model = open();
    const onText = (piece: string) => void heard.push(piece);
    for (let i = 0; i < 2; i++)
      expect(await model.complete(asked(), { signal: never, onText })).toMatchObject({ content: "Once upon a time." });
    expect(heard).toEqual([]);
    expect(streamed()).toEqual([true, false, false]);
  });

  test("that refuses the request either way is a client_error", async () => {
    loopback.reset({ status: 400, body: { error: { message: "too long" } } });
    const call = open().complete(asked(), { signal: never, onText: () => {} });
    await expect(call).rejects.toMatchObject({
      errorClass: "client_error",
      message: expect.stringContaining("too long"),
    });
    expect(streamed()).toEqual([true, false]);
  });

  test.each([
    { said: { message: "Provider disconnected", code: 502 }, errorClass: "server_error" },
    { said: { message: "slow down", code: 429 }, errorClass: "rate_limit" },
    { said: { message: "slow down", type: "rate_limit_error", code: "rate_limit_exceeded" }, errorClass: "rate_limit" },
    { said: { message: "busy", type: "overloaded_error" }, errorClass: "server_error" },
    { said: { message: "who are you?", type: "authentication_error" }, errorClass: "auth_error" },
    { said: { message: "Bearer abcdefgh is no key" }, errorClass: "server_error" },
  ])("that says $said in the middle of its stream: $errorClass", async ({ said, errorClass }) => {
    loopback.reset({ pieces: [...chat.begin, chat.text("Once "), event({ error: said })] });
    const heard: string[] = [];
    const call = open().complete(asked(), { signal: never, onText: (piece) => void heard.push(piece) });
    const error: unknown = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      errorClass,
      message: expect.stringContaining("openai-compatible/m: the provider broke off"),
    });
    expect((error as Error).message).not.toContain("abcdefgh");
    expect(heard).toEqual(["Once "]);
  });

  test("that sends what is no JSON in the middle is a malformed_response", async () => {
    loopback.reset({ pieces: [...chat.begin, chat.text("Once "), event("{oops"), ...chat.end] });
    const call = open().complete(asked(), { signal: never, onText: () => {} });
    await expect(call).rejects.toMatchObject({ errorClass: "malformed_response" });
  });

  test("that says what the call cost is believed, in a stream as well", async () => {
    const usage = { ...USAGE, cost: 0.0042 };
    const last = event({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m", choices: [], usage });
    loopback.reset({ pieces: [...chat.begin, chat.text("Hi."), chatChunk({}, "stop"), last, event("[DONE]")] });
    const reply = await open().complete(asked(), { signal: never, onText: () => {} });
    expect(reply).toEqual({
      content: "Hi.",
      model: "m-2025",
      tokens: { input: 12, output: 5, cache_read: 8, total_cost: 0.0042 },
    });
    expect(loopback.seen[0]?.body.stream_options).toEqual({ include_usage: true });
  });

  test.each([
    { it: "a schema", more: { schema: { type: "object", properties: {} } } },
    { it: "tools", more: { tools: [{ name: "look", description: "Looks", parameters: { type: "object" } }] } },
  ])("is not asked to stream with $it", async ({ more }) => {
    loopback.reset(WHOLE);
    await open().complete(asked(more as Partial<ModelCall>), { signal: never, onText: () => {} });
    expect(streamed()).toEqual([false]);
  });

  test("whose stream has no text at all is refused as it is without streaming", async () => {
    loopback.reset({ pieces: [...chat.begin, chatChunk({}, "content_filter"), event("[DONE]")] });
    const call = open().complete(asked(), { signal: never, onText: () => {} });
    await expect(call).rejects.toMatchObject({
      errorClass: "client_error",
      message: expect.stringContaining("filter"),
    });
  });
});

/** Opens once. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}
