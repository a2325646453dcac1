import { TreeBudget } from "../core/agent/budget/tree-budget";
import type { AgentInput, Budget } from "../core/agent/definition/agent-input";
import type { AgentEnd, AgentHost } from "../core/agent/run/host";
import { type AgentRun, openRun, stepOf } from "../core/agent/run/run";
import { defined } from "../core/base/defined";
import { failed, ok, type Result } from "../core/base/failure";
import { budgetHolder, toolRunId, workflowIdFor } from "../core/base/ids";
import type { Json, JsonObject } from "../core/base/json";
import { presentFormat } from "../core/base/run-format";
import {
  type Amount,
  type EffectLookup,
  GIVEN_UP,
  type KeyedCall,
  type ModelReply,
  type ModelRequest,
  type Price,
  type ToolCall,
} from "../core/calls/host";
import type { GuardAnswer, GuardClaim, GuardSettle } from "../core/effects/effect-guard";
import { guardOfKey } from "../core/effects/effect-key";
import type { UndoStep } from "../core/effects/undo/undo-plan";
import { ReviewBook } from "../core/review/book";
import type { ReviewRequest } from "../core/review/kinds";
import { type FinalDecision, finalDecision } from "../core/review/request";
import type { Decision, Review } from "../core/review/review";
import { byNameAlone } from "../core/review/verification";
import type { ChunkListeners } from "../models/listener";
import type { Model } from "../models/model";
import { isFinal } from "../models/retry";
import { EffectGuards } from "./effect-guards";
import { completeInMemory, failedAttempt, modelFailure, refusedListener } from "./memory-model";

/** A call as the in-memory host makes it: with the key that a worker would give to the tool. */
export type MemoryCall = KeyedCall & { agent: string | null };

/** A tool as the in-memory host runs it: a function of the arguments, at once or later. */
export type MemoryTool = (args: JsonObject, call: MemoryCall) => Result<Json> | Promise<Result<Json>>;

/** The answer of a tool in memory about an effect whose outcome is lost. */
export type MemoryLookup = (args: JsonObject, call: MemoryCall) => EffectLookup | Promise<EffectLookup>;

/** How a tool takes an effect back in memory. */
export type MemoryUndo = (step: UndoStep) => Result<Json> | Promise<Result<Json>>;

export interface MemoryHostOptions {
  /** Who answers: usually the scripted model. */
  model: Model;
  /** The listeners that may receive answers as they come, by name. */
  onChunk?: ChunkListeners | undefined;
  tools?: ReadonlyMap<string, MemoryTool>;
  /** The tools that can look up the outcome of an effect. */
  lookups?: ReadonlyMap<string, MemoryLookup>;
  /** The tools that can take an effect back. */
  undos?: ReadonlyMap<string, MemoryUndo>;
  /** Ms that calls of a tool take, by its name. */
  tool_times?: { readonly [name: string]: number };
  /** Name of the agent, for scripts that serve several. */
  agent?: string | null;
  /** The workflow id that its run would have: keys begin with it. */
  scope?: string;
  /** Of the whole tree. */
  budget?: Budget | undefined;
  prices?: { [model: string]: Price } | undefined;
  /** The decisions of people, in the order of the questions. */
  decisions?: readonly ScriptedDecision[];
  /** Who decides when no decision is left; undefined = nobody does. */
  decide?: (review: Review, agent: string | null) => ScriptedDecision | undefined;
  /** Missions with the same guards share the effects of tools with `identity_scope: namespace`. */
  guards?: EffectGuards | undefined;
  /** Ms since 1970 at the start; time passes only by `sleep` and by `advance`. */
  now?: number;
}

/** A decision without the review that it is about. */
export type ScriptedDecision = Omit<Decision, "review">;

/** The model calls of the tree, each with its agent: 0 is the root. */
export type SentCall = Omit<ModelRequest, "output" | "deadline_ms" | "retry" | "listener"> & {
  run: number;
  agent: string | null;
};

/** The state that a run shares with the agents that it runs as tools. */
interface World {
  /** Every model call, in order. */
  sent: SentCall[];
  /** Every tool call, in order of request. */
  toolCalls: KeyedCall[];
  time: number;
  ids: number;
  seed: number;
  runs: number;
  decisions: ScriptedDecision[];
  treeBudget: TreeBudget | null;
  guards: EffectGuards;
}

/** As often as a worker's model activity is tried. */
const MAX_ATTEMPTS = 8;
const SCOPE = workflowIdFor("agent", "memory");
const START_OF_TIME = Date.UTC(2030, 0, 1);

/**
 * AgentHost in memory, for simulations and tests. The same script, tools and start time always give the same run. It
 * records all calls.
 */
export class MemoryHost implements AgentHost {
  private calls = 0;
  private readonly book = new ReviewBook();
  /** By the place of the call: a call that is made again after a pause receives the same answer. */
  private readonly reviewedAt = new Map<string, Promise<Result<FinalDecision>>>();
  readonly mission: string;
  private readonly run: number;
  /** 1-based; a parked mission that continues starts its next invocation. */
  invocation = 1;

  constructor(
    private readonly options: MemoryHostOptions,
    private readonly world: World = {
      sent: [],
      toolCalls: [],
      time: options.now ?? START_OF_TIME,
      ids: 0,
      seed: 1,
      runs: 0,
      decisions: [...(options.decisions ?? [])],
      treeBudget: null,
      guards: options.guards ?? new EffectGuards(),
    },
  ) {
    this.run = world.runs++;
    this.mission = options.scope ?? SCOPE;
    if (options.budget)
      world.treeBudget = new TreeBudget(options.budget, (request) => this.requestReview(request, undefined));
  }

  get sent(): readonly SentCall[] {
    return this.world.sent;
  }
  get toolCalls(): readonly KeyedCall[] {
    return this.world.toolCalls;
  }
  /** The reviews of this run, without those of its children. */
  get reviews(): readonly Review[] {
    return this.book.all();
  }

  /** A run on this host. */
  open(input: AgentInput): AgentRun {
    return openRun(this, { ...presentFormat(), ...input });
  }

  async callModel(request: ModelRequest): Promise<Result<ModelReply>> {
    const { output, deadline_ms, retry, listener, ...asked } = request;
    const agent = this.options.agent ?? null;
    this.calls += 1;
    if (await this.late(0, deadline_ms)) return GIVEN_UP;
    const refused = refusedListener(this.options.onChunk, listener);
    if (refused) return refused;
    this.world.sent.push({ ...asked, messages: [...request.messages], run: this.run, agent });
    const call = { ...asked, output, agent, call: this.calls, tree_call: this.world.sent.length };
    for (let attempt = 1; ; attempt++) {
      try {
        const { model, onChunk, scope: workflowId = SCOPE } = this.options;
        const reply = await completeInMemory({ model, onChunk, workflowId }, { ...call, attempt }, listener);
        return (await this.late(0, deadline_ms)) ? GIVEN_UP : ok(reply);
      } catch (thrown) {
        const failure = failedAttempt(thrown);
        const { error } = failure;
        if (retry === "none" || attempt === MAX_ATTEMPTS || isFinal(error, attempt, retry))
          return modelFailure(failure);
        const wait = error.retry_after_ms ?? 200 * 2 ** (attempt - 1);
        if (await this.late(wait, deadline_ms)) return GIVEN_UP;
      }
    }
  }

  async callTool(call: KeyedCall): Promise<Result<Json>> {
    this.world.toolCalls.push(call);
    const tool = this.options.tools?.get(call.name);
    if (!tool) return failed("tool_error", `nothing answers for tool ${call.name} here`, { tool: call.name });
    if (await this.late(this.options.tool_times?.[call.name] ?? 0, call.deadline_ms)) return GIVEN_UP;
    const answer = await tool(call.args, { ...call, agent: this.options.agent ?? null });
    const guard = call.effect?.deed === undefined ? undefined : guardOfKey(call.key);
    if (answer.ok && guard !== undefined)
      this.world.guards.settle(guard.workflow_id, {
        n: guard.n,
        ...defined({ deed: call.effect?.deed }),
        state: "done",
        answer: answer.value,
      });
    return answer;
  }

  async claimEffect(guard: string, claim: Omit<GuardClaim, "workflow_id">): Promise<Result<GuardAnswer>> {
    return ok(await this.world.guards.claim(guard, { ...claim, workflow_id: this.mission }));
  }

  async settleEffect(guard: string, settle: GuardSettle): Promise<void> {
    this.world.guards.settle(guard, settle);
  }

  async lookUpEffect(call: KeyedCall): Promise<EffectLookup> {
    const lookup = this.options.lookups?.get(call.name);
    if (!lookup) return { state: "unknown" };
    return lookup(call.args, { ...call, agent: this.options.agent ?? null });
  }

  async undoEffect(step: UndoStep): Promise<Result<Json>> {
    const undone = await undoInMemory(this.options.undos, step);
    if (undone.ok) this.world.guards.undone(step.key);
    return undone;
  }

  /** Advances the time until something is done, or until it is too late for it. */
  async late(ms: number, deadline_ms: number | undefined): Promise<boolean> {
    const late = deadline_ms !== undefined && this.now() + ms >= deadline_ms;
    // What took too long was given up at the deadline.
    if (late) this.world.time = Math.max(this.now(), deadline_ms);
    else await this.sleep(ms);
    return late;
  }

  async runAgent(call: ToolCall, input: AgentInput): Promise<AgentEnd> {
    const { budget: _, ...shared } = this.options;
    const scope = toolRunId(this.mission, call, this.invocation);
    const child = new MemoryHost({ ...shared, scope, agent: input.agent.name ?? null }, this.world);
    const run = child.open(input);
    const step = ok(await stepOf(run));
    return { step, effects: run.handedBack() };
  }

  async reserve(bound: Amount): Promise<Result<string>> {
    const holder = budgetHolder(String(this.run), this.calls + 1);
    const reserved = await (this.world.treeBudget as TreeBudget).reserve(holder, bound);
    return reserved.ok ? ok(holder) : reserved;
  }

  async settle(reserved: string, used: Partial<Amount>): Promise<void> {
    this.world.treeBudget?.settle(reserved, used);
  }

  async prices(models: readonly string[]): Promise<Result<{ [model: string]: Price | null }>> {
    return ok(Object.fromEntries(models.map((model) => [model, this.options.prices?.[model] ?? null])));
  }

  /** The next scripted decisions, as many as needed. Without any, time advances: to the default, or to the deadline. */
  requestReview(
    request: ReviewRequest,
    deadline_ms: number | undefined,
    place?: string,
  ): Promise<Result<FinalDecision>> {
    if (place === undefined) return this.decided(request, deadline_ms);
    const key = `${this.invocation}:${place}`;
    const asked = this.reviewedAt.get(key) ?? this.decided(request, deadline_ms);
    this.reviewedAt.set(key, asked);
    return asked;
  }

  private async decided(request: ReviewRequest, deadline_ms: number | undefined): Promise<Result<FinalDecision>> {
    const { book, world } = this;
    const { id } = book.request(request, "run", this.now());
    for (;;) {
      const decided = finalDecision(book.get(id) as Review);
      if (decided) return ok(decided);
      const vote = world.decisions.shift() ?? this.options.decide?.(book.get(id) as Review, this.options.agent ?? null);
      if (vote !== undefined) {
        const given = { ...vote, review: id };
        const decision = book.admit(given, byNameAlone(given), this.now());
        if (!decision.ok) throw new Error(`A scripted decision is refused: ${decision.fail.message}`);
        book.decide(decision.value, this.now());
        continue;
      }
      const due = book.nextDue();
      if (due === null && deadline_ms === undefined)
        return failed("tool_error", `nobody decides "${request.title}" here`, { code: "nobody_decides" });
      world.time = Math.max(
        this.now(),
        Math.min(due ?? Number.POSITIVE_INFINITY, deadline_ms ?? Number.POSITIVE_INFINITY),
      );
      if (deadline_ms !== undefined && this.now() >= deadline_ms) {
        book.withdraw(this.now(), id);
        return failed("mission_timeout", "nobody had decided");
      }
      book.passTime(this.now());
    }
  }

  now(): number {
    return this.world.time;
  }

  /** Advances the time. */
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

/** Takes one effect back with the undo of its tool. */
export async function undoInMemory(
  undos: ReadonlyMap<string, MemoryUndo> | undefined,
  step: UndoStep,
): Promise<Result<Json>> {
  const undo = undos?.get(step.tool);
  if (undo) return undo(step);
  return failed("tool_error", `nothing takes an effect of ${step.tool} back here`, {
    tool: step.tool,
    code: "no_undo",
  });
}
