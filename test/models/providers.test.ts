import { createModels, type ModelCall, type ModelError } from "../../src/models";
import { type Answer, Loopback } from "./loopback";

/** Real HTTP, in the shape of each provider. */
const KEY = "test-key-of-the-loopback-0123456789";

interface Shape {
  name: string;
  env(url: string): NodeJS.ProcessEnv;
  path: string;
  key: string;
  keySent: string;
  /** What the provider gets of the system prompt and of the last message. */
  sent(body: never): { system: unknown; last: unknown; roles: unknown };
  reply: unknown;
  tokens: unknown;
  answeredBy: string;
  empty: unknown;
  error(status: number, message: string): unknown;
}

type Chat = { messages: { role: string; content: unknown }[] };
const chat = {
  sent: ({ messages }: Chat) => ({
    system: messages[0]?.content,
    last: messages.at(-1)?.content,
    roles: messages.map(({ role }) => role),
  }),
  reply: {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m-2025",
    choices: [{ index: 0, message: { role: "assistant", content: "(return 1)" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17, prompt_tokens_details: { cached_tokens: 8 } },
  },
  empty: { id: "c1", object: "chat.completion", created: 1, model: "m", choices: [], usage: {} },
  error: (_: number, message: string) => ({ error: { message, type: "some_error", code: null } }),
};

const SHAPES: Shape[] = [
  {
    ...chat,
    name: "openai-compatible/m",
    env: (url) => ({ NAVIGATOR_BASE_URL: `${url}/v1`, NAVIGATOR_API_KEY: KEY }),
    path: "/v1/chat/completions",
    key: "authorization",
    keySent: `Bearer ${KEY}`,
    sent: chat.sent as Shape["sent"],
    tokens: { input: 12, output: 5, cache_read: 8 },
    answeredBy: "m-2025",
  },
  {
    ...chat,
    name: "openai/m",
    env: (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY }),
    path: "/v1/chat/completions",
    key: "authorization",
    keySent: `Bearer ${KEY}`,
    sent: chat.sent as Shape["sent"],
    tokens: { input: 12, output: 5, cache_read: 8 },
    answeredBy: "m-2025",
  },
  {
    name: "anthropic/m",
    env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
    path: "/v1/messages",
    key: "x-api-key",
    keySent: KEY,
    sent: ((body: Chat & { system: { text: string }[] }) => ({
      system: body.system[0]?.text,
      last: (body.messages.at(-1) as { content: { text: string }[] }).content[0]?.text,
      roles: ["system", ...body.messages.map(({ role }) => role)],
    })) as Shape["sent"],
    reply: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m-2025",
      content: [{ type: "text", text: "(return 1)" }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 4, output_tokens: 5, cache_creation_input_tokens: 3, cache_read_input_tokens: 8 },
    },
    tokens: { input: 15, output: 5, cache_read: 8, cache_creation: 3 },
    answeredBy: "m-2025",
    empty: { id: "msg_1", type: "message", role: "assistant", model: "m" },
    error: (_, message) => ({ type: "error", error: { type: "some_error", message } }),
  },
  {
    name: "google/m",
    env: (url) => ({ GOOGLE_BASE_URL: url, GEMINI_API_KEY: KEY }),
    path: "/v1beta/models/m:generateContent",
    key: "x-goog-api-key",
    keySent: KEY,
    sent: ((body: {
      systemInstruction: { parts: { text: string }[] };
      contents: { role: string; parts: { text: string }[] }[];
    }) => ({
      system: body.systemInstruction.parts[0]?.text,
      last: body.contents.at(-1)?.parts[0]?.text,
      roles: ["system", ...body.contents.map(({ role }) => (role === "model" ? "assistant" : role))],
    })) as Shape["sent"],
    reply: {
      candidates: [{ content: { role: "model", parts: [{ text: "(return 1)" }] }, finishReason: "STOP", index: 0 }],
      usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17, cachedContentTokenCount: 8 },
      modelVersion: "m-2025",
    },
    tokens: { input: 12, output: 5, cache_read: 8 },
    answeredBy: "m",
    empty: { usageMetadata: {} },
    error: (status, message) => ({ error: { code: status, message, status: "SOME_ERROR" } }),
  },
];

const call: ModelCall = {
  model: "ignored",
  agent: "a",
  turn: 3,
  call: 3,
  attempt: 1,
  system: "You write programs.",
  messages: [
    { role: "user", content: "Begin." },
    { role: "assistant", content: "(+ 1 1)" },
    { role: "user", content: "It gave 2." },
  ],

  tool_names: [],
};

let loopback: Loopback;
beforeAll(async () => {
  loopback = await new Loopback().start();
});
afterAll(() => loopback.close());

describe.each(SHAPES)("$name over HTTP", (shape) => {
  const ask = (options: { env?: NodeJS.ProcessEnv; signal?: AbortSignal } = {}) => {
    const env = { ...shape.env(loopback.url), ...options.env };
    const signal = options.signal ?? new AbortController().signal;
    return createModels({ env }).resolve(shape.name).complete(call, { signal });
  };
  const failure = async (answer: Answer, env?: NodeJS.ProcessEnv): Promise<ModelError> => {
    loopback.reset(answer);
    const error = await ask(env === undefined ? {} : { env }).then(
      (reply) => {
        throw new Error(`answered ${JSON.stringify(reply)}`);
      },
      (reason: ModelError) => reason,
    );
    expect(error.message).toContain(shape.name);
    expect(error.message).not.toContain(KEY);
    // One attempt is one request: retries are Temporal's, where they can be seen.
    expect(loopback.seen.length).toBeLessThanOrEqual(1);
    return error;
  };

  test("the conversation is sent whole, and the answer has its tokens", async () => {
    loopback.reset({ body: shape.reply });
    expect(await ask()).toEqual({ content: "(return 1)", tokens: shape.tokens, model: shape.answeredBy });
    const [seen] = loopback.seen;
    expect(seen?.path).toBe(shape.path);
    expect(seen?.headers[shape.key]).toBe(shape.keySent);
    expect(shape.sent(seen?.body as never)).toEqual({
      system: "You write programs.",
      last: "It gave 2.",
      roles: ["system", "user", "assistant", "user"],
    });
  });

  test.each([
    { status: 429, errorClass: "rate_limit", retryable: true },
    { status: 500, errorClass: "server_error", retryable: true },
    { status: 503, errorClass: "server_error", retryable: true },
    { status: 529, errorClass: "server_error", retryable: true },
    { status: 408, errorClass: "timeout", retryable: true },
    { status: 400, errorClass: "client_error", retryable: false },
    { status: 422, errorClass: "client_error", retryable: false },
    { status: 401, errorClass: "auth_error", retryable: false },
    { status: 403, errorClass: "auth_error", retryable: false },
    { status: 404, errorClass: "llm_not_found", retryable: false },
  ])("$status is a $errorClass; retryable: $retryable", async ({ status, errorClass, retryable }) => {
    const error = await failure({ status, body: shape.error(status, `no: ${KEY}`) });
    expect(error).toMatchObject({ errorClass, retryable });
    expect(error.message).toContain(String(status));
  });

  test.each([
    { headers: { "retry-after": "7" }, ms: 7_000 },
    { headers: { "retry-after-ms": "1500", "retry-after": "9" }, ms: 1_500 },
    { headers: { "retry-after": "0.25" }, ms: 250 },
    { headers: { "retry-after": "86400" }, ms: 120_000 },
    { headers: { "retry-after": "soon" }, ms: undefined },
  ])("429 with $headers is retried after $ms ms", async ({ headers, ms }) => {
    const error = await failure({ status: 429, headers: headers as never, body: shape.error(429, "slow down") });
    expect(error.retry_after_ms).toBe(ms);
  });

  test("503 is retried after its wait as well", async () => {
    const error = await failure({ status: 503, headers: { "retry-after": "2" }, body: shape.error(503, "busy") });
    expect(error).toMatchObject({ errorClass: "server_error", retry_after_ms: 2_000 });
  });

  test.each([
    { it: "text that is no JSON", answer: { text: "<html>oops</html>" } },
    { it: "JSON that ends too early", answer: { text: '{"id": "c1", "cho' } },
    { it: "JSON of another shape", answer: { body: { hello: "world", content: 5, candidates: "x" } } },
    { it: "an empty body", answer: { text: "" } },
    { it: "no choices", answer: { body: shape.empty } },
  ])("$it is a malformed_response, which is retried", async ({ answer }) =>
    expect(await failure(answer)).toMatchObject({ errorClass: "malformed_response", retryable: true }),
  );

  test.each(["hang up", "hang up in the body"] as const)("a provider that does $j is a server_error", async (answer) =>
    expect(await failure(answer)).toMatchObject({ errorClass: "server_error", retryable: true }),
  );

  test("a silent provider is a timeout, and its connection is closed", async () => {
    const error = await failure("hang", { NAVIGATOR_MODEL_TIMEOUT_MS: "1000" });
    expect(error).toMatchObject({ errorClass: "timeout", retryable: true });
    expect(error.message).toContain("no answer within 1 s");
    expect(await abandoned()).toBe(1);
  });

  test("a call that is cancelled ends at once with the reason, and its connection is closed", async () => {
    loopback.reset("hang");
    const controller = new AbortController();
    const asked = ask({ signal: controller.signal });
    void loopback.untilSeen().then(() => controller.abort(new Error("cancelled by its run")));
    await expect(asked).rejects.toThrow("cancelled by its run");
    expect(await abandoned()).toBe(1);
  });

  test("an unreachable server is a server_error that names only its address", async () => {
    const gone = await new Loopback().start();
    const env = shape.env(gone.url);
    await gone.close();
    const error = await failure("hang up", env);
    expect(error).toMatchObject({ errorClass: "server_error", retryable: true });
    expect(error.message).toMatch(/cannot reach http:\/\/127\.0\.0\.1:\d+: connect ECONNREFUSED/);
  });
});

describe("errors in a provider's own words", () => {
  const env = () => ({ NAVIGATOR_BASE_URL: `${loopback.url}/v1`, GOOGLE_BASE_URL: loopback.url, GEMINI_API_KEY: KEY });
  const ask = (name: string) =>
    createModels({ env: env() }).resolve(name).complete(call, { signal: new AbortController().signal });

  test("a model that a compatible server does not have, with status 400, is llm_not_found", async () => {
    loopback.reset({ status: 400, body: { error: { message: "no such model", code: "model_not_found" } } });
    await expect(ask("openai-compatible/m")).rejects.toMatchObject({ errorClass: "llm_not_found" });
  });

  test("a wrong key, with status 400, is an auth_error", async () => {
    loopback.reset({
      status: 400,
      body: {
        error: {
          code: 400,
          message: "API key not valid.",
          status: "INVALID_ARGUMENT",
          details: [{ reason: "API_KEY_INVALID" }],
        },
      },
    });
    await expect(ask("google/m")).rejects.toMatchObject({ errorClass: "auth_error" });
  });

  test("a masked key that a provider repeats is not passed on", async () => {
    loopback.reset({ status: 401, body: { error: { message: "Incorrect API key provided: sk-proj-abc***xyz." } } });
    await expect(ask("openai-compatible/m")).rejects.toThrow("Incorrect API key provided: [secret]");
  });

  test("a compatible server needs no key", async () => {
    loopback.reset({ body: chat.reply });
    await ask("openai-compatible/m");
    expect(loopback.seen[0]?.headers.authorization).toBeUndefined();
  });

  test("an answer without usage has no tokens, not zero of them", async () => {
    const { usage: _, ...reply } = chat.reply;
    loopback.reset({ body: reply });
    expect(await ask("openai-compatible/m")).toEqual({ content: "(return 1)", model: "m-2025" });
  });
});

/** The server notices a closed connection a moment later. */
async function abandoned(): Promise<number> {
  await loopback.untilAbandoned();
  return loopback.abandoned;
}
