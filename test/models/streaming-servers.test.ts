import { createGroq } from "@ai-sdk/groq";
import { createModels, ModelError } from "../../src/models";
import { asked } from "./asked";
import { Loopback } from "./loopback";
import { chat, chatChunk, event, USAGE } from "./stream-wire";
import { wireOf } from "./wire";

/** What servers of many kinds do when they are asked to stream, or in the middle of it. */
let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

const never = new AbortController().signal;

describe("an OpenAI-compatible server", () => {
  const open = () => createModels({ env: { NAVIGATOR_BASE_URL: `${loopback.url}/v1` } }).resolve("openai-compatible/m");
  const WHOLE = { body: wireOf("openai-compatible").reply({ text: "Once upon a time." }) };
  const streamed = () => loopback.seen.map(({ body }) => body.stream === true);

  test.each([
    { it: "refuses the request", answer: { status: 400, body: { error: { message: "stream is not supported" } } } },
    { it: "answers in one piece", answer: WHOLE },
  ])("that $it is called again without streaming, and only once", async ({ answer }) => {
    loopback.reset(answer, WHOLE);
    const heard: string[] = [];
    const model = open();
    const onText = (piece: string) => void heard.push(piece);
    for (let i = 0; i < 2; i++)
      expect(await model.complete(asked(), { signal: never, onText })).toMatchObject({ content: "Once upon a time." });
    expect(heard).toEqual([]);
    expect(streamed()).toEqual([true, false, false]);
  });

  test("that answers in one piece, behind a package that does not notice: it is called again, and only once", async () => {
    loopback.reset(WHOLE);
    const groq = createGroq({ baseURL: loopback.url, apiKey: "test-key-of-the-loopback" });
    const model = createModels({ env: {}, models: { fast: groq("m") } }).resolve("fast");
    const heard: string[] = [];
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
  ])("that sends $said in the middle of its stream: $errorClass", async ({ said, errorClass }) => {
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

  test("that sends invalid JSON in the middle is a malformed_response", async () => {
    loopback.reset({ pieces: [...chat.begin, chat.text("Once "), event("{oops"), ...chat.end] });
    const call = open().complete(asked(), { signal: never, onText: () => {} });
    await expect(call).rejects.toMatchObject({ errorClass: "malformed_response" });
  });

  test("that reports the cost is believed, also in a stream", async () => {
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

  const tools = [{ name: "look", description: "Looks", parameters: { type: "object" } }];
  const calls = (more: object) => chatChunk({ tool_calls: [{ index: 0, ...more }] });

  test("is heard while it says words before it calls a tool, and the call is whole", async () => {
    loopback.reset({
      pieces: [
        ...[...chat.begin, chat.text("I "), chat.text("look.")],
        calls({ id: "c1", type: "function", function: { name: "look", arguments: "" } }),
        ...[calls({ function: { arguments: '{"at":' } }), calls({ function: { arguments: '"the hill"}' } })],
        ...[chatChunk({}, "tool_calls"), event("[DONE]")],
      ],
    });
    const heard: string[] = [];
    const reply = await open().complete(asked({ tools }), { signal: never, onText: (piece) => heard.push(piece) });
    expect(heard).toEqual(["I ", "look."]);
    expect(reply).toMatchObject({
      content: "I look.",
      tool_calls: [{ id: "c1", name: "look", args: { at: "the hill" } }],
    });
    expect(streamed()).toEqual([true]);
  });

  test("that streams calls of tools in a form of its own is asked without streaming, from then on", async () => {
    const own = {
      pieces: [...chat.begin, calls({ type: "function", function: { arguments: "{}" } }), event("[DONE]")],
    };
    loopback.reset(own, WHOLE, WHOLE);
    const model = open();
    const options = { signal: never, onText: () => {} };
    expect((await model.complete(asked({ tools }), options)).content).toBe("Once upon a time.");
    expect((await model.complete(asked({ tools }), options)).content).toBe("Once upon a time.");
    expect(streamed()).toEqual([true, false, false]);
  });

  test("is heard while it says an answer in JSON", async () => {
    loopback.reset({ pieces: [...chat.begin, chat.text('{"sum"'), chat.text(": 5}"), ...chat.end] });
    const schema = { type: "object", properties: { sum: { type: "number" } } };
    const heard: string[] = [];
    const reply = await open().complete(asked({ schema }), { signal: never, onText: (piece) => heard.push(piece) });
    expect([reply.content, heard]).toEqual(['{"sum": 5}', ['{"sum"', ": 5}"]]);
    expect(loopback.seen[0]?.body.response_format).toMatchObject({ type: "json_schema" });
  });

  test("whose stream has no text is refused as without streaming", async () => {
    loopback.reset({ pieces: [...chat.begin, chatChunk({}, "content_filter"), event("[DONE]")] });
    const call = open().complete(asked(), { signal: never, onText: () => {} });
    await expect(call).rejects.toMatchObject({
      errorClass: "client_error",
      message: expect.stringContaining("filter"),
    });
  });
});
