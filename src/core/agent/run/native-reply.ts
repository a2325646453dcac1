import { toolCacheKey } from "../../base/call-digest";
import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import type { NativeCall, ToolCall } from "../../calls/host";
import { effectId } from "../../effects/effect-id";
import { EffectTurns } from "../native/effect-turns";
import { type Called, cacheKeyOf, callNativeTool, toolOf } from "../native/native-call";
import { NativeCalls, type StartedNativeCall } from "../native/native-calls";
import type { NativeRecord } from "../native/native-journal";
import type { NativeSearch } from "../native/native-search";
import type { Answered } from "../result/answered";
import type { Step } from "../result/step";
import type { OpenTurn } from "../result/turn";
import type { RunTool } from "../tools/run-tools";
import type { BaseRun } from "./base-run";
import type { RunMemory } from "./run-memory";
import type { StartedCall } from "./run-program";
import type { AgentState, OpenTurnState } from "./state";

/** What the calls of a reply need from their run. */
export interface NativeRun extends Pick<BaseRun, "ledger" | "journal"> {
  state: Pick<AgentState, "native_calls" | "turn">;
  tools: ReadonlyMap<string, RunTool>;
  memory: RunMemory;
  search: NativeSearch;
  /** The runs of agents in this turn, by the number of the call. */
  children: Map<number, Step>;
  /** How many are made at the same time. */
  limit: number;
  /** How many the run may make in all; null: any number. */
  max_calls: number | null;
  call(call: ToolCall, started: Omit<StartedCall, "call">): Promise<Answered>;
  /** Tools that a search has found. */
  found(names: string[]): void;
  /** The record of a call; undefined: it is not recorded. */
  record(tool: RunTool, args: JsonObject, place: number, tasks: Map<number, string>): NativeRecord | undefined;
  shouldPause(underWay: number): boolean;
  now(): number;
}

type Written = NonNullable<OpenTurnState["native"]>;

/**
 * A reply with native tool calls, from its first call to its last answer (agent reference, section 15). Between them the run
 * may continue in another process.
 */
export class NativeReply {
  private readonly running: NativeCalls;
  /** The tasks of the calls that were made, by their places. */
  private readonly tasks: Map<number, string>;
  private readonly turns = new EffectTurns();

  constructor(
    private readonly run: NativeRun,
    readonly turn: OpenTurn,
    readonly calls: readonly NativeCall[],
    written?: Omit<Written, "calls">,
  ) {
    this.tasks = new Map(written?.tasks);
    const port = {
      limit: run.limit,
      make: (call: NativeCall, started: StartedNativeCall) => this.make(call, started),
      keyOf: (call: NativeCall) => this.keyOf(call),
      shouldPause: (underWay: number) => run.shouldPause(underWay),
      now: () => run.now(),
    };
    this.running = new NativeCalls(calls, port, written);
  }

  /** Runs to the last answer, or to a pause: null. */
  advance(): Promise<Called[] | null> {
    return this.running.advance();
  }

  get isPaused(): boolean {
    return this.running.isPaused;
  }

  poke(): void {
    this.running.poke();
  }

  /** The turn in its pause. */
  state(): OpenTurnState {
    const { journal, children } = this.run;
    return {
      turn: this.turn,
      notices: [],
      children: [...children],
      approvals: journal?.openApprovals() ?? [],
      unrecorded: journal?.openUnrecorded() ?? [],
      native: { ...this.running.state(), tasks: [...this.tasks] },
    };
  }

  /** The turn goes on, in another process than before. */
  static restored(run: NativeRun, { turn, children, approvals, unrecorded, native }: OpenTurnState): NativeReply {
    const { calls, ...written } = native as Written;
    for (const [call, step] of children) run.children.set(call, step);
    for (const [task, approval] of approvals) run.journal?.noteApproval(task, approval);
    for (const [task, done] of unrecorded) run.journal?.noteUnrecorded(task, done);
    return new NativeReply(run, turn, calls, written);
  }

  private async make(call: NativeCall, { place, since, again, person }: StartedNativeCall): Promise<Called> {
    const { run } = this;
    const { state, memory, search } = run;
    if (search.isMeant(call)) return search.answer(call, run.now(), (names) => run.found(names));
    const limit = run.max_calls;
    const parallel = this.calls.length > 1;
    const cache = new Map(memory.toolCache);
    const alone = (effect: string) => {
      const turn = this.turns.enter(place, effect);
      return turn && person(() => turn);
    };
    const called = await callNativeTool(
      {
        tools: run.tools,
        cache,
        now: () => run.now(),
        spent: !again && limit !== null && state.native_calls >= limit ? limit : null,
        unknown: (name) => search.unknown(name),
        begins: () => {
          if (!again) state.native_calls += 1;
        },
        journal: (tool, args) => run.record(tool, args, place, this.tasks),
        run: (name, args, task) =>
          run.call(
            { name, args, turn: state.turn, call: place + 1, ...defined({ task }) },
            { parallel, since, person, alone },
          ),
      },
      call,
    );
    memory.toolCache = new Map([...memory.toolCache, ...cache]);
    run.ledger.endCall(place + 1, this.tasks.get(place));
    this.turns.leave(place);
    return called;
  }

  /**
   * Calls with the same key run one after the other: the second is given what the first has brought, or is compared with
   * what the first has done.
   */
  private keyOf({ name, args }: NativeCall): string | null {
    const tool = toolOf(this.run.tools, name);
    if (tool === undefined) return null;
    const { kind, spec } = tool;
    // What an agent does is known when it has ended.
    if (kind === "agent") return toolCacheKey(spec.name, args);
    if (kind === "worker" && spec.effect !== "read" && spec.repeatable !== true) return effectId(spec, args);
    return cacheKeyOf(tool, args);
  }
}
