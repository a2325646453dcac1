import { jsonBytes } from "../../base/bytes";
import { defined } from "../../base/defined";
import { ok, type Result } from "../../base/failure";
import type { Json } from "../../base/json";
import { MAX_PAYLOAD_BYTES } from "../../base/limits";
import type { CallToolInput } from "../../calls/activities";
import { dueOf, type KeyedCall } from "../../calls/host";
import type { StretchEnd, StretchInput, StretchResult } from "../../calls/stretch";
import type { CallInStretch, StretchCall } from "../../journal/stretch";
import type { AgentHost } from "../run/host";

/** One call as its worker makes it. `open`: it has no answer yet, after so many attempts. */
export type MadeInStretch = StretchCall | Ended;

type Ended = Pick<StretchResult, "end" | "attempts" | "after_ms">;

/** What makes the calls of a stretch, and keeps what they gave. */
export interface StretchCalls {
  /** Calls that were made before, by an attempt whose worker was lost. */
  readonly earlier: readonly StretchCall[];
  /**
   * Makes a call, and keeps its answer before it resolves.
   *
   * @param since workflow time, ms since 1970: it begins then, or later
   * @param left_ms the time that the mission has left; undefined = it has no limit
   */
  make(input: CallToolInput, since: number, left_ms: number | undefined): Promise<MadeInStretch>;
}

/** Never resolves: whoever waits for it is given up with the stretch. */
const never = <T>(): Promise<T> => new Promise<T>(() => {});

/**
 * The host of a run in a stretch. It makes the calls that may be made there. Whatever else the run asks for ends the
 * stretch: that is the workflow's to do, and here it never comes back.
 */
export class StretchHost implements AgentHost {
  readonly mission: string;
  private readonly made: StretchCall[] = [];
  private readonly earlier: StretchCall[];
  private clock: number;
  private ended: Ended | undefined;
  private wake: () => void = () => {};

  constructor(
    private readonly given: StretchInput,
    private readonly tools: ReadonlySet<string>,
    private readonly calls: StretchCalls,
  ) {
    this.mission = given.mission;
    this.clock = given.now;
    this.earlier = [...calls.earlier];
  }

  /** Resolves when the stretch is over. */
  over(): Promise<void> {
    return this.ended === undefined ? new Promise<void>((resolve) => (this.wake = resolve)) : Promise.resolve();
  }

  get result(): { stretch: StretchCall[] } & Ended {
    return { stretch: this.made, ...(this.ended ?? { end: "other" }) };
  }

  async callTool(call: KeyedCall): Promise<Result<Json>> {
    if (this.ended !== undefined) return never();
    const { given } = this;
    const due = dueOf(this, call);
    const left = due === undefined ? undefined : due - this.clock;
    const isLate = left !== undefined && left <= 0;
    const isLong = jsonBytes(call.args) > MAX_PAYLOAD_BYTES;
    if (!this.tools.has(call.name) || call.parallel === true || isLate || isLong) return this.end("other");
    const input = callInput(call, given);
    const [known] = this.earlier;
    if (known !== undefined && !isSameCall(known.input, input)) return this.end("other");
    this.earlier.shift();
    const made = known ?? (await this.calls.make(input, this.clock, left));
    if ("end" in made) return this.end(made.end, made);
    this.made.push(made);
    this.clock = made.at;
    return made.answer;
  }

  /** Calls side by side are not made here: the first of them ends the stretch, so no other one is prepared. */
  shouldPause(underWay: number): boolean {
    return underWay > 0;
  }

  /** Time goes on with the answers: so the workflow, which is given them later, sees the same times. */
  now(): number {
    return this.clock;
  }

  /** Since it began: by what was before, the state has moved the time limit already. */
  blockedMs(): number {
    return 0;
  }

  pausedMs(): number {
    return this.given.paused_ms;
  }

  /** The program is over. */
  stepped(): void {
    void this.end("other");
  }

  callModel(): Promise<never> {
    return this.end("other");
  }

  runAgent(): Promise<never> {
    return this.end("other");
  }

  lookUpEffect(): Promise<never> {
    return this.end("other");
  }

  undoEffect(): Promise<never> {
    return this.end("other");
  }

  claimEffect(): Promise<never> {
    return this.end("other");
  }

  settleEffect(): Promise<never> {
    return this.end("other");
  }

  requestReview(): Promise<never> {
    return this.end("other");
  }

  reserve(): Promise<never> {
    return this.end("other");
  }

  settle(): Promise<never> {
    return this.end("other");
  }

  async prices(): Promise<Result<Record<string, never>>> {
    return this.ended === undefined ? this.end("other") : ok({});
  }

  sleep(): Promise<never> {
    return this.end("other");
  }

  random(): never {
    throw new Error("a program has no chance to be random");
  }

  uuid(): never {
    throw new Error("a run in its middle has its id");
  }

  private end(end: StretchEnd, { attempts, after_ms }: Omit<Ended, "end"> = {}): Promise<never> {
    this.ended ??= { end, ...defined({ attempts, after_ms }) };
    this.wake();
    return never();
  }
}

/** A call as its activity gets it. */
export function callInput(
  { name, args, key, task, turn, effect, approval }: KeyedCall,
  { agent, owner }: Pick<StretchInput, "agent" | "owner">,
): CallToolInput {
  return {
    name,
    args,
    idempotency_key: key,
    agent,
    task: task ?? null,
    turn,
    ...defined({ effect, approval, owner }),
  };
}

type NamedCall = Pick<CallInStretch, "name" | "idempotency_key">;

/** Whether a program asks for the call that was made: by its tool, and by its key, which names the arguments of an effect. */
export const isSameCall = (made: NamedCall, asked: NamedCall): boolean =>
  made.name === asked.name && made.idempotency_key === asked.idempotency_key;
