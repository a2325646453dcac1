import { isObject } from "../../base/is-object";
import type { Json } from "../../base/json";
import { turnFacts } from "./gen-ai";
import type { PlainSpan } from "./plain-span";
import { turnKey } from "./span-ids";

/** A turn, and the calls that were made in it. */
interface Turn {
  span: PlainSpan;
  calls: PlainSpan[];
}

/** The place of a span in its run: its ids, and those of the run as its parent. */
type Place = (key: string) => Pick<PlainSpan, "trace_id" | "span_id" | "parent_span_id" | "sampling">;

/**
 * The turns of an agent as its calls show them. A call names its turn, but not its invocation: a mission that was
 * parked and woken starts with turn 1 again, and a turn that is over never comes again.
 */
export class TurnSpans {
  private readonly turns = new Map<string, Turn>();
  private invocation = 1;
  private isParked = false;
  private number = 0;
  private current: Turn | null = null;

  /** A run that continues another one states how often the mission was woken. @param input of its workflow */
  started(input: Json | undefined): void {
    const continued = isObject(input) ? input.carried : undefined;
    if (!isObject(continued)) return;
    const { invocation, parked } = continued;
    if (typeof invocation !== "number") return;
    if (invocation !== this.invocation) this.number = 0;
    this.invocation = invocation;
    // It continues to wait: its next turn belongs to the next invocation.
    this.isParked = isObject(parked);
  }

  /** The mission waits to be woken. */
  parked(): void {
    this.isParked = true;
    this.current = null;
  }

  /** The span of the turn that is under way; null: there is none yet. */
  get span(): PlainSpan | null {
    return this.current?.span ?? null;
  }

  /** A call of a turn. The turn begins with its first one. @param at ms since 1970 */
  called(turn: number, at: number, place: Place): PlainSpan {
    if (this.isParked || turn < this.number) this.invocation += 1;
    this.isParked = false;
    this.number = turn;
    const key = turnKey(this.invocation, turn);
    const known = this.turns.get(key);
    this.current = known ?? {
      span: { ...place(key), ...turnFacts(this.invocation, turn), start_ms: at, end_ms: null },
      calls: [],
    };
    this.turns.set(key, this.current);
    return this.current.span;
  }

  /** A call belongs to the turn that is under way, whatever its parent is. */
  add(call: PlainSpan): void {
    this.current?.calls.push(call);
  }

  /** A turn ends with its last call, unless one is still open. */
  all(): PlainSpan[] {
    return [...this.turns.values()].map(({ span, calls }) => {
      const ends = calls.map(({ end_ms }) => end_ms);
      return ends.includes(null) ? span : { ...span, end_ms: Math.max(span.start_ms, ...(ends as number[])) };
    });
  }
}
