import { jsonBytes } from "../../base/bytes";
import { ok, type Result } from "../../base/failure";
import type { Json } from "../../base/json";
import { MAX_PAYLOAD_BYTES } from "../../base/limits";
import type { CallToolInput } from "../../calls/activities";
import { callInput } from "../../calls/call-input";
import { dueOf, type KeyedCall, type ModelReply } from "../../calls/host";
import type { LeftCall, MadeCall, RunAsAsked, RunCallsInput, RunCallsResult } from "../../calls/run-calls";
import type { ToolSpec } from "../../calls/tool";
import type { AgentInput } from "../definition/agent-input";
import type { AgentHost } from "../run/host";
import { type AgentState, openRun } from "../run/run";
import { sharedTools } from "./sequence-input";

/** A call that was made, or why the sequence ends with it. */
export type CallOutcome = MadeCall | SequenceEnd;

type SequenceEnd = Pick<RunCallsResult, "end"> & { open?: LeftCall };

/** Makes the calls of a sequence, and keeps what they gave. */
export interface CallMaker {
  /** Calls that an attempt before this one has made. */
  readonly earlier: readonly MadeCall[];
  /**
   * Makes a call, and keeps its answer before it resolves.
   *
   * @param since workflow time, ms since 1970: the call does not begin before
   * @param left_ms the time that the mission has left; undefined = it has no limit
   */
  make(input: CallToolInput, since: number, left_ms: number | undefined): Promise<CallOutcome>;
}

/** The facts about its run that a sequence needs. */
type SequenceGiven = RunAsAsked & Pick<RunCallsInput, "mission" | "agent" | "now" | "paused_ms" | "owner">;

/**
 * Runs the program of a run from its state, and makes its calls in their order, until it asks for something else or `calls` ends it.
 * The run itself continues in its workflow: nothing but the answers is kept.
 *
 * @param reply of the model, if the state is that of a run that asks it
 */
export async function runSequence(
  given: SequenceGiven,
  calls: CallMaker,
  reply?: ModelReply,
): Promise<{ made: MadeCall[] } & SequenceEnd> {
  const input = given.run as unknown as AgentInput;
  const host = new SequenceHost(given, sharedTools(input.agent), calls);
  const run = openRun(host, input, given.state as unknown as AgentState);
  await Promise.race([reply === undefined ? run.turn() : run.replied(reply), host.over()]);
  return host.result;
}

/** Never resolves: the work that waits for it is dropped with the sequence. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/**
 * The host of a run in an activity. It makes the calls that may share the activity. Everything else that the run asks for ends the
 * sequence: the workflow does it.
 */
class SequenceHost implements AgentHost {
  readonly mission: string;
  private readonly made: MadeCall[] = [];
  private readonly earlier: MadeCall[];
  private clock: number;
  private ended: SequenceEnd | undefined;
  private wake: () => void = () => {};

  constructor(
    private readonly given: SequenceGiven,
    private readonly tools: ReadonlyMap<string, ToolSpec>,
    private readonly calls: CallMaker,
  ) {
    this.mission = given.mission;
    this.clock = given.now;
    this.earlier = [...calls.earlier];
  }

  /** Resolves when the sequence is over. */
  over(): Promise<void> {
    return this.ended === undefined ? new Promise<void>((resolve) => (this.wake = resolve)) : Promise.resolve();
  }

  get result(): { made: MadeCall[] } & SequenceEnd {
    return { made: this.made, ...(this.ended ?? { end: "other" }) };
  }

  async callTool(call: KeyedCall): Promise<Result<Json>> {
    if (this.ended !== undefined) return never();
    const { given } = this;
    const due = dueOf(this, call);
    const left = due === undefined ? undefined : due - this.clock;
    const isLate = left !== undefined && left <= 0;
    const isLong = jsonBytes(call.args) > MAX_PAYLOAD_BYTES;
    const tool = this.tools.get(call.name);
    if (tool === undefined || call.parallel === true || isLate || isLong) return this.end({ end: "other" });
    const input = callInput(call, tool, given);
    const [known] = this.earlier;
    if (known !== undefined && !isSameCall(known, input)) return this.end({ end: "other" });
    this.earlier.shift();
    const made = known ?? (await this.calls.make(input, this.clock, left));
    if ("end" in made) return this.end(made);
    this.made.push(made);
    this.clock = made.at;
    return made.answer;
  }

  /** Parallel calls are not made here: the first of them ends the sequence, so no other one is prepared. */
  shouldPause(underWay: number): boolean {
    return underWay > 0;
  }

  /** Time advances with the answers: the workflow, which reads them later, sees the same times. */
  now(): number {
    return this.clock;
  }

  /** Since it began: the state has the time limit that the standstill before has moved. */
  blockedMs(): number {
    return 0;
  }

  pausedMs(): number {
    return this.given.paused_ms;
  }

  /** The program is over. */
  stepped(): void {
    void this.end({ end: "other" });
  }

  callModel(): Promise<never> {
    return this.end({ end: "other" });
  }

  runAgent(): Promise<never> {
    return this.end({ end: "other" });
  }

  lookUpEffect(): Promise<never> {
    return this.end({ end: "other" });
  }

  undoEffect(): Promise<never> {
    return this.end({ end: "other" });
  }

  claimEffect(): Promise<never> {
    return this.end({ end: "other" });
  }

  settleEffect(): Promise<never> {
    return this.end({ end: "other" });
  }

  requestReview(): Promise<never> {
    return this.end({ end: "other" });
  }

  reserve(): Promise<never> {
    return this.end({ end: "other" });
  }

  settle(): Promise<never> {
    return this.end({ end: "other" });
  }

  async prices(): Promise<Result<Record<string, never>>> {
    return this.ended === undefined ? this.end({ end: "other" }) : ok({});
  }

  sleep(): Promise<never> {
    return this.end({ end: "other" });
  }

  random(): never {
    throw new Error("A program cannot ask for a random number.");
  }

  uuid(): never {
    throw new Error("A run in the middle of a turn has its id.");
  }

  private end(end: SequenceEnd): Promise<never> {
    this.ended ??= end;
    this.wake();
    return never();
  }
}

/** Whether the program asks for the call that was made: by its tool, and by its key, which names the arguments of an effect. */
export const isSameCall = (
  { input }: Pick<MadeCall, "input">,
  asked: Pick<CallToolInput, "name" | "idempotency_key">,
): boolean => input?.name === asked.name && input.idempotency_key === asked.idempotency_key;
