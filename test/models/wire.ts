/** Each provider's own words, as far as tests look into what it is sent and make up what it answers. */
export const KEY = "test-key-of-the-loopback-0123456789";

export interface WireCall {
  id?: string;
  name: string;
  /** A text is sent as it is where the provider's arguments are a text. */
  args: unknown;
  /** Google's and Anthropic's signed thoughts. */
  signature?: string;
}

/** A conversation as the provider was told it, in one notation. */
export type Told =
  | { system: string }
  | { user: string }
  | { assistant: string }
  | { thought: string; signature?: string }
  | { call: string; id: string; args: unknown; signature?: string }
  | { result: string; of: string };

// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent
type Body = any;

export interface Wire {
  /** The model's name for Navigator. */
  model: string;
  env(url: string): NodeJS.ProcessEnv;
  reply(answer: { text?: string; calls?: WireCall[]; finish?: string; thought?: string }): unknown;
  told(body: Body): Told[];
  tools(body: Body): { name: string; description: string; parameters: unknown }[] | undefined;
  /** The schema that the answer is held to, and how. */
  schema(body: Body): unknown;
  maxTokens(body: Body): unknown;
  error(message: string): unknown;
  /** The provider's word for an answer that was cut off. */
  cutOff: string;
  argumentsAreText: boolean;
}

const openAi = (model: string, env: Wire["env"]): Wire => ({
  model,
  env,
  argumentsAreText: true,
  cutOff: "length",
  reply: ({ text, calls, finish, thought }) => ({
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m-2025",
    choices: [
      {
        index: 0,
        finish_reason: finish ?? (calls ? "tool_calls" : "stop"),
        message: {
          role: "assistant",
          content: text ?? null,
          ...(thought ? { reasoning_content: thought } : {}),
          ...(calls && {
            tool_calls: calls.map(({ id, name, args }) => ({
              id,
              type: "function",
              function: { name, arguments: typeof args === "string" ? args : JSON.stringify(args) },
            })),
          }),
        },
      },
    ],
    usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17, prompt_tokens_details: { cached_tokens: 8 } },
  }),
  told: ({ messages }) =>
    messages.flatMap(({ role, content, reasoning_content, tool_calls = [], tool_call_id }: Body): Told[] => {
      if (role === "tool") return [{ result: content, of: tool_call_id }];
      if (role !== "assistant") return [{ [role]: content } as Told];
      return [
        ...(reasoning_content ? [{ thought: reasoning_content }] : []),
        ...(content ? [{ assistant: content }] : []),
        ...tool_calls.map((call: Body) => ({
          call: call.function.name,
          id: call.id,
          args: JSON.parse(call.function.arguments),
        })),
      ];
    }),
  tools: ({ tools }) => tools?.map((tool: Body) => tool.function),
  schema: ({ response_format }) => response_format?.json_schema,
  maxTokens: ({ max_tokens }) => max_tokens,
  error: (message) => ({ error: { message, type: "invalid_request_error", code: null } }),
});

const ANTHROPIC: Wire = {
  model: "anthropic/claude-sonnet-4-5",
  env: (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY }),
  argumentsAreText: false,
  cutOff: "max_tokens",
  reply: ({ text, calls, finish, thought }) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m-2025",
    content: [
      ...(thought ? [{ type: "thinking", thinking: thought, signature: "signed" }] : []),
      ...(text ? [{ type: "text", text }] : []),
      ...(calls ?? []).map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args })),
    ],
    stop_reason: finish ?? (calls ? "tool_use" : "end_turn"),
    stop_sequence: null,
    usage: { input_tokens: 4, output_tokens: 5, cache_creation_input_tokens: 3, cache_read_input_tokens: 8 },
  }),
  told: ({ system, messages }) => [
    { system: system.map(({ text }: Body) => text).join("") },
    ...messages.flatMap(({ role, content }: Body) =>
      content.map((part: Body): Told => {
        if (part.type === "tool_use") return { call: part.name, id: part.id, args: part.input };
        if (part.type === "tool_result") return { result: part.content, of: part.tool_use_id };
        if (part.type === "thinking") return { thought: part.thinking, signature: part.signature };
        return { [role]: part.text } as Told;
      }),
    ),
  ],
  tools: ({ tools }) =>
    tools?.map(({ name, description, input_schema }: Body) => ({ name, description, parameters: input_schema })),
  schema: ({ output_config }) => output_config?.format?.schema,
  maxTokens: ({ max_tokens }) => max_tokens,
  error: (message) => ({ type: "error", error: { type: "invalid_request_error", message } }),
};

const GOOGLE: Wire = {
  model: "google/gemini-3-pro",
  env: (url) => ({ GOOGLE_BASE_URL: url, GEMINI_API_KEY: KEY }),
  argumentsAreText: false,
  cutOff: "MAX_TOKENS",
  reply: ({ text, calls, finish }) => ({
    candidates: [
      {
        index: 0,
        finishReason: finish ?? "STOP",
        content: {
          role: "model",
          parts: [
            ...(text ? [{ text }] : []),
            ...(calls ?? []).map(({ id, name, args, signature }) => ({
              functionCall: { ...(id ? { id } : {}), name, args },
              ...(signature ? { thoughtSignature: signature } : {}),
            })),
          ],
        },
      },
    ],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17, cachedContentTokenCount: 8 },
  }),
  told: ({ systemInstruction, contents }) => [
    { system: systemInstruction.parts[0].text },
    ...contents.flatMap(({ role, parts }: Body) =>
      parts.map(({ text, functionCall, functionResponse, thoughtSignature }: Body): Told => {
        const signature = thoughtSignature === undefined ? {} : { signature: thoughtSignature };
        if (functionCall)
          return { call: functionCall.name, id: functionCall.id, args: functionCall.args, ...signature };
        if (functionResponse) return { result: functionResponse.response.content, of: functionResponse.id };
        return { [role === "model" ? "assistant" : "user"]: text } as Told;
      }),
    ),
  ],
  tools: ({ tools }) => tools?.[0].functionDeclarations,
  schema: ({ generationConfig }) => generationConfig?.responseSchema,
  maxTokens: ({ generationConfig }) => generationConfig.maxOutputTokens,
  error: (message) => ({ error: { code: 400, message, status: "INVALID_ARGUMENT" } }),
};

export const WIRES: Wire[] = [
  ANTHROPIC,
  openAi("openai/m", (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: KEY })),
  GOOGLE,
  openAi("openai-compatible/m", (url) => ({ NAVIGATOR_BASE_URL: `${url}/v1`, NAVIGATOR_API_KEY: KEY })),
];

export const wireOf = (provider: string): Wire => WIRES.find(({ model }) => model.startsWith(`${provider}/`)) as Wire;
