import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Anthropic's API on the loopback interface, as far as its prompt cache goes: a prefix that ends at a mark is kept, and a
 * later request finds the longest kept prefix that ends at one of its marks, or up to 20 blocks before one. A token is four
 * characters.
 */
export class CachingAnthropic {
  /** The blocks of each request in the order in which Anthropic caches them: tools, system, messages. */
  readonly requests: string[][] = [];
  private readonly kept = new Set<string>();
  private readonly server = createServer((request, response) => {
    let text = "";
    request.on("data", (chunk) => {
      text += chunk;
    });
    request.on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(this.answer(JSON.parse(text))));
    });
  });

  /** @param says the text of the nth answer, from 1 */
  constructor(private readonly says: (n: number) => string) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this;
  }

  get env(): NodeJS.ProcessEnv {
    const { port } = this.server.address() as AddressInfo;
    return { ANTHROPIC_API_KEY: "test-key-of-the-loopback", ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}` };
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.server.close(() => resolve()));
  }

  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever was sent
  private answer({ tools = [], system = [], messages }: any) {
    const said = messages.flatMap(({ role, content }: { role: string; content: object[] }) =>
      content.map((block) => ({ role, ...block })),
    );
    const parts = [...tools, ...system, ...said] as { cache_control?: object }[];
    const blocks = parts.map(({ cache_control: _, ...block }) => JSON.stringify(block));
    this.requests.push(blocks);
    const marks = parts.flatMap(({ cache_control }, i) => (cache_control === undefined ? [] : [i + 1]));
    const key = (end: number) => JSON.stringify(blocks.slice(0, end));
    const found = marks.flatMap((mark) => Array.from({ length: 21 }, (_, back) => mark - back));
    const read = Math.max(0, ...found.filter((end) => end > 0 && this.kept.has(key(end))));
    for (const mark of marks) this.kept.add(key(mark));
    const tokens = (from: number, to: number) => Math.ceil(blocks.slice(from, to).join("").length / 4);
    const written = Math.max(read, ...marks);
    return {
      id: `msg_${this.requests.length}`,
      type: "message",
      role: "assistant",
      model: "claude-cached",
      content: [{ type: "text", text: this.says(this.requests.length) }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: {
        input_tokens: tokens(written, blocks.length),
        cache_read_input_tokens: tokens(0, read),
        cache_creation_input_tokens: tokens(read, written),
        output_tokens: 20,
      },
    };
  }
}
