import type { Piece } from "./loopback";
import { KEY } from "./wire";

/** Streams in each provider's own words. */
export const event = (data: unknown, name?: string): Piece =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;

export const chatChunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
  event({
    id: "c1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m-2025",
    choices: [{ index: 0, delta, finish_reason }],
    ...more,
  });
export const USAGE = {
  prompt_tokens: 12,
  completion_tokens: 5,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 8 },
};

export const chat = {
  begin: [chatChunk({ role: "assistant", content: "" })],
  text: (text: string) => chatChunk({ content: text }),
  end: [
    chatChunk({}, "stop"),
    event({ id: "c1", object: "chat.completion.chunk", created: 1, model: "m-2025", choices: [], usage: USAGE }),
    event("[DONE]"),
  ],
};

export const STREAMS: {
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
