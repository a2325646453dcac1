import { toolCacheKey } from "../../base/call-digest";
import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import type { Message, NativeCall } from "../../calls/host";
import { effectId } from "../../effects/effect-id";
import { type Called, cacheKeyOf, callNativeTool, toolOf } from "../native/native-call";
import { NativeCalls, type OpenNativeCalls, type StartedNativeCall } from "../native/native-calls";
import type { NativeRecord } from "../native/native-journal";
import type { NativeSearch } from "../native/native-search";
import { successTurn, type TurnDraft } from "../result/turn";
import type { RunTool } from "../tools/run-tools";
import { failedEnd, type ModeRun, type OpenTurn, type TurnEnd } from "./mode";
import { keepFound } from "./state";

/** The parts of text mode that the calls of a reply share. */
export interface NativeParts {
  search: NativeSearch;
  /** The record of a call; undefined: it is not recorded. */
  record(tool: RunTool, args: JsonObject, place: number, tasks: Map<number, string>): NativeRecord | undefined;
}

/** The field that a turn with native calls has in the state. */
export interface WrittenReply {
  /** The calls, and the tasks of those that were made. */
  native: OpenNativeCalls & { tasks: [place: number, task: string][] };
}

/**
 * A reply with native tool calls, from its first call to its last answer (agent reference, section 15). A failure is an
 * answer to the model and never ends the run.
 */
export class NativeReply implements OpenTurn<Called[]> {
  private readonly running: NativeCalls;
  /** The tasks of the calls that were made, by their places. */
  private readonly tasks: Map<number, string>;
  private readonly turns = new EffectTurns();

  constructor(
    private readonly run: ModeRun,
    private readonly parts: NativeParts,
    private readonly draft: TurnDraft,
    private readonly calls: readonly NativeCall[],
    written?: Omit<WrittenReply["native"], "calls">,
  ) {
    const { host, input } = run;
    this.tasks = new Map(written?.tasks);
    const port = {
      limit: input.agent.pmap_max_concurrency,
      make: (call: NativeCall, started: StartedNativeCall) => this.make(call, started),
      keyOf: (call: NativeCall) => this.keyOf(call),
      shouldPause: (underWay: number) => host.shouldPause?.(underWay) === true,
      now: () => host.now(),
    };
    this.running = new NativeCalls(calls, port, written);
  }

  advance(): Promise<Called[] | null> {
    return this.running.advance();
  }

  get isPaused(): boolean {
    return this.running.isPaused;
  }

  recheck(): void {
    this.running.recheck();
  }

  state(): WrittenReply {
    return { native: { ...this.running.state(), tasks: [...this.tasks] } };
  }

  /** The model is asked again, with the answers of its calls. */
  end(called: Called[]): TurnEnd {
    const { draft } = this;
    const { state, calls } = this.run;
    const records = called.flatMap(({ record }) => record ?? []);
    state.last_program = { ...state.last_program, tool_calls: [...state.last_program.tool_calls, ...records] };
    Object.assign(draft.params, { tool_calls: records });
    if (calls.notConfigured) return failedEnd(draft, calls.notConfigured);
    const answers = called.map(({ content }, i): Message => {
      const { id, name } = this.calls[i] as NativeCall;
      return { role: "tool", content, tool_call_id: id, tool_name: name };
    });
    return {
      turn: successTurn(draft.opening, null, draft.params),
      next: () => [{ ...draft.said, tool_calls: [...this.calls] }, ...answers],
    };
  }

  private async make(call: NativeCall, { place, since, again, person }: StartedNativeCall): Promise<Called> {
    const { run } = this;
    const { host, state, memory } = run;
    const { search, record } = this.parts;
    if (search.isMatched(call)) return search.answer(call, host.now(), (names) => keepFound(state, names));
    const limit = run.input.agent.max_tool_calls;
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
        now: () => host.now(),
        spent: !again && limit !== null && state.native_calls >= limit ? limit : null,
        unknown: (name) => search.unknown(name),
        begins: () => {
          if (!again) state.native_calls += 1;
        },
        journal: (tool, args) => record(tool, args, place, this.tasks),
        run: (name, args, task) =>
          run.calls.call(
            { name, args, turn: state.turn, call: place + 1, ...defined({ task }) },
            { parallel, since, person, alone },
          ),
      },
      call,
    );
    memory.toolCache = new Map([...memory.toolCache, ...cache]);
    run.ledger.program.endCall(place + 1, this.tasks.get(place));
    this.turns.leave(place);
    return called;
  }

  /** Calls with the same key run one after the other: the second gets the answer of the first, or is compared with its effect. */
  private keyOf({ name, args }: NativeCall): string | null {
    const tool = toolOf(this.run.tools, name);
    if (tool === undefined) return null;
    const { kind, spec } = tool;
    // The effects of an agent are known when it has ended.
    if (kind === "agent") return toolCacheKey(spec.name, args);
    if (kind === "worker" && spec.effect !== "read" && spec.repeatable !== true) return effectId(spec, args);
    return cacheKeyOf(tool, args);
  }
}

/**
 * Approved calls of a reply that make the same effect take turns, since a person's edits may have made them the same: the second
 * one is compared with the effect of the first. A call has one turn at most, and gives it up before it waits for another one.
 */
class EffectTurns {
  private readonly placed = new Map<number, string>();
  private readonly waiting: { place: number; id: string; go: () => void }[] = [];

  /** @returns undefined: it is the turn of the call, at once */
  enter(place: number, id: string): Promise<void> | undefined {
    if (this.placed.get(place) === id) return undefined;
    this.leave(place);
    if (![...this.placed.values()].includes(id)) {
      this.placed.set(place, id);
      return undefined;
    }
    return new Promise((go) => this.waiting.push({ place, id, go }));
  }

  /** The call is over, or means another effect. */
  leave(place: number): void {
    const id = this.placed.get(place);
    if (id === undefined) return;
    this.placed.delete(place);
    const next = this.waiting.findIndex((one) => one.id === id);
    if (next < 0) return;
    const [one] = this.waiting.splice(next, 1) as [(typeof this.waiting)[number]];
    this.placed.set(one.place, id);
    one.go();
  }
}
