import { runAgent } from "../core/agent/run";
import type { AgentInput } from "../core/agent/state";
import type { Step } from "../core/agent/step";
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
  /** Ms that calls of a tool take, by its name. */
  tool_times?: { readonly [name: string]: number };
  /** Name of the agent, for scripts that serve several. */
  agent?: string | null;
  /** Ms since 1970 at the start; time passes only by `sleep` and by `advance`. */
  now?: number;
}

/** What the model was asked in one call, and by which agent of the tree: 0 is the root. */
export type SentCall = Omit<ModelRequest, "output" | "deadline_ms" | "retry"> & { run: number; agent: string | null };

/** What a run shares with the agents that it runs as tools. */
interface World {
  /** Every model call, in order. */
  sent: SentCall[];
  /** Every tool call, in order of request. */
  toolCalls: ToolCall[];
  time: number;
  ids: number;
  seed: number;
  runs: number;
}

/** As often as a worker's model activity is tried. */
const MAX_ATTEMPTS = 8;
const OUT_OF_TIME = failed("mission_timeout", "The mission's time limit has passed; what was under way is given up.");
const START_OF_TIME = Date.UTC(2030, 0, 1);

/**
 * AgentHost in memory: for simulations and tests. The same script, tools and start time give the same run, every
 * time. Remembers all that it was asked.
 */
export class MemoryHost implements AgentHost {
  private calls = 0;
  private readonly run: number;

  constructor(
    private readonly options: MemoryHostOptions,
    private readonly world: World = {
      sent: [],
      toolCalls: [],
      time: options.now ?? START_OF_TIME,
      ids: 0,
      seed: 1,
      runs: 0,
    },
  ) {
    this.run = world.runs++;
  }

  get sent(): readonly SentCall[] {
    return this.world.sent;
  }
  get toolCalls(): readonly ToolCall[] {
    return this.world.toolCalls;
  }

  async callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    const { output: _, deadline_ms, retry, ...asked } = request;
    const agent = this.options.agent ?? null;
    this.calls += 1;
    if (await this.late(0, deadline_ms)) return OUT_OF_TIME;
    this.world.sent.push({ ...asked, messages: [...request.messages], run: this.run, agent });
    const call = { ...asked, agent, call: this.calls, tree_call: this.world.sent.length };
    for (let attempt = 1; ; attempt++) {
      try {
        const reply = await this.options.model.complete({ ...call, attempt }, { signal: new AbortController().signal });
        return (await this.late(0, deadline_ms)) ? OUT_OF_TIME : ok(reply);
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        if (!error.retryable || retry === "none" || attempt === MAX_ATTEMPTS) return modelFailure(error);
        const wait = error.retry_after_ms ?? 200 * 2 ** (attempt - 1);
        if (await this.late(wait, deadline_ms)) return OUT_OF_TIME;
      }
    }
  }

  async callTool(call: ToolCall): Promise<Result<Json>> {
    this.world.toolCalls.push(call);
    const tool = this.options.tools?.get(call.name);
    if (!tool) return failed("tool_error", `nothing answers for tool ${call.name} here`, { tool: call.name });
    if (await this.late(this.options.tool_times?.[call.name] ?? 0, call.deadline_ms)) return OUT_OF_TIME;
    return tool(call.args, call);
  }

  /** Lets time pass until something is done, or until it is too late for it. */
  private async late(ms: number, deadline_ms: number | undefined): Promise<boolean> {
    const late = deadline_ms !== undefined && this.now() + ms >= deadline_ms;
    // What took too long was given up at the deadline.
    if (late) this.world.time = Math.max(this.now(), deadline_ms);
    else await this.sleep(ms);
    return late;
  }

  async runAgent(_call: ToolCall, input: AgentInput): Promise<Result<Step>> {
    const child = new MemoryHost({ ...this.options, agent: input.agent.name ?? null }, this.world);
    return ok(await runAgent(child, input));
  }

  now(): number {
    return this.world.time;
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.world.time += ms;
  }

  async sleep(ms: number): Promise<void> {
    this.advance(ms);
  }

  /** Park and Miller's generator: the same numbers in every run. */
  random(): number {
    this.world.seed = (this.world.seed * 48_271) % 2_147_483_647;
    return this.world.seed / 2_147_483_647;
  }

  /** Ids that count: `00000000-0000-4000-8000-000000000001`. */
  uuid(): string {
    this.world.ids += 1;
    return `00000000-0000-4000-8000-${this.world.ids.toString(16).padStart(12, "0")}`;
  }
}

function modelFailure({ errorClass, message }: ModelError): Result<never> {
  const details = { class: errorClass };
  if (errorClass === "llm_not_found") return failed("llm_not_found", message, details);
  return failed("llm_error", `LLM call failed: ${message}`, details);
}
