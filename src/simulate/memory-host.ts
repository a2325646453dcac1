import { failed, ok, type Result } from "../core/failure";
import type { AgentHost, ModelReply, ModelRequest, ToolCall } from "../core/host";
import type { Json, JsonObject } from "../core/json";
import { type Model, ModelError } from "../models/model";

/** A tool as the in-memory host runs it: a function of the arguments, at once or later. */
export type MemoryTool = (args: JsonObject, call: ToolCall) => Result<Json> | Promise<Result<Json>>;

export interface MemoryHostOptions {
  /** Who answers: usually the scripted model. */
  model: Model;
  tools?: ReadonlyMap<string, MemoryTool>;
  /** Name of the agent, for scripts that serve several. */
  agent?: string | null;
  /** Ms since 1970 at the start; time passes only by `sleep` and by `advance`. */
  now?: number;
}

/** What the model was asked in one call. */
export type SentCall = Omit<ModelRequest, "output">;

/** As often as a worker's model activity is tried. */
const MAX_ATTEMPTS = 8;
const START_OF_TIME = Date.UTC(2030, 0, 1);

/**
 * AgentHost in memory: for simulations and tests. The same script, tools and start time give the same run, every
 * time. Remembers all that it was asked.
 */
export class MemoryHost implements AgentHost {
  /** Every model call, in order. */
  readonly sent: SentCall[] = [];
  /** Every tool call, in order of request. */
  readonly toolCalls: ToolCall[] = [];
  private time: number;
  private ids = 0;
  private seed = 1;

  constructor(private readonly options: MemoryHostOptions) {
    this.time = options.now ?? START_OF_TIME;
  }

  async callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    const { output: _, ...asked } = request;
    this.sent.push({ ...asked, messages: [...request.messages] });
    const call = { ...asked, agent: this.options.agent ?? null, call: this.sent.length };
    for (let attempt = 1; ; attempt++) {
      try {
        return ok(await this.options.model.complete({ ...call, attempt }, { signal: new AbortController().signal }));
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        if (!error.retryable || attempt === MAX_ATTEMPTS)
          return failed("llm_error", `LLM call failed: ${error.message}`, { class: error.errorClass });
        await this.sleep(error.retry_after_ms ?? 200 * 2 ** (attempt - 1));
      }
    }
  }

  async callTool(call: ToolCall): Promise<Result<Json>> {
    this.toolCalls.push(call);
    const tool = this.options.tools?.get(call.name);
    if (!tool) return failed("tool_error", `nothing answers for tool ${call.name} here`, { tool: call.name });
    return tool(call.args, call);
  }

  now(): number {
    return this.time;
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.time += ms;
  }

  async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }

  /** Park and Miller's generator: the same numbers in every run. */
  random(): number {
    this.seed = (this.seed * 48_271) % 2_147_483_647;
    return this.seed / 2_147_483_647;
  }

  /** Ids that count: `00000000-0000-4000-8000-000000000001`. */
  uuid(): string {
    this.ids += 1;
    return `00000000-0000-4000-8000-${this.ids.toString(16).padStart(12, "0")}`;
  }
}
