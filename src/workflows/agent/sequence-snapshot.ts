import { patched, workflowInfo } from "@temporalio/workflow";
import type { AgentState } from "../../core/agent/run/run";
import { inputForSequence, stateForSequence, stateForTurn } from "../../core/agent/sequence/sequence-input";
import { jsonBytes, utf8Bytes } from "../../core/base/bytes";
import { defined } from "../../core/base/defined";
import type { Json, JsonObject } from "../../core/base/json";
import { applyJsonDelta, type JsonDelta, jsonDelta } from "../../core/base/json/json-delta";
import {
  type RunAsAsked,
  type RunDelta,
  SEQUENCE_BYTES,
  SNAPSHOT_BYTES,
  TURN_DELTA_BYTES,
} from "../../core/calls/run-calls";
import type { AgentRunInput } from "../agent-run-input";

/** The run as activities get it that run its program: whole, or as what has changed since the last model call. */
export class SequenceSnapshot {
  /** The run as the last activity with a model got it, and the bytes of all changes since the first. */
  private last: { n: number; snapshot: RunAsAsked; bytes: number } | undefined;

  constructor(private readonly input: AgentRunInput) {}

  /** The run as it asked its model last; undefined: no worker got it. */
  get asked(): { n: number; snapshot: RunAsAsked } | undefined {
    return this.last;
  }

  /** The run waits for people: it does not keep its snapshot during that time. */
  forget(): void {
    this.last = undefined;
  }

  /** The whole run. */
  whole(state: AgentState): RunDelta {
    const snapshot = { run: this.runInput(), state: stateForSequence(state) };
    return { base: 0, ...defined({ delta: jsonDelta({}, snapshot as unknown as Json) }) };
  }

  /** The changes of the run since the last model call. undefined: too many. The history does not depend on it. */
  delta(n: number, state: AgentState): RunDelta | undefined {
    const { last } = this;
    const before = (last?.snapshot ?? {}) as unknown as Json;
    const run = last?.snapshot.run ?? this.runInput();
    const delta = jsonDelta(before, { run, state: stateForTurn(state) });
    // A copy: later changes of the run are compared with it.
    const text = delta === undefined ? "null" : JSON.stringify(delta);
    const bytes = utf8Bytes(text);
    const all = (last?.bytes ?? 0) + bytes;
    if (bytes > (last === undefined ? SEQUENCE_BYTES : TURN_DELTA_BYTES) || all > SNAPSHOT_BYTES) return undefined;
    const copy = delta === undefined ? undefined : (JSON.parse(text) as JsonDelta);
    this.last = { n, snapshot: applyJsonDelta(before, copy) as unknown as RunAsAsked, bytes: all };
    return { base: last?.n ?? 0, ...defined({ delta: copy }) };
  }

  private runInput(): JsonObject {
    const { carried: _, ...given } = this.input;
    return inputForSequence(given);
  }
}

/**
 * Whether the input of an activity is too large for a sequence. A marker keeps the decision: a later version may write the same state
 * in more or fewer bytes, and a replay must go the same way.
 */
export function isTooLargeToShare(input: object): boolean {
  if (workflowInfo().unsafe.isReplaying) return patched(TOO_LARGE);
  return jsonBytes(input as unknown as Json) > SEQUENCE_BYTES && patched(TOO_LARGE);
}

const TOO_LARGE = "too-large-for-sequences";
