import { defined } from "../../base/defined";
import type { Result } from "../../base/failure";
import type { Json } from "../../base/json";
import { CallsUnderWay } from "../../calls/calls-under-way";
import type { ToolCall } from "../../calls/host";
import type {
  CallNotes,
  MachineState,
  OtherEffectQuestion,
  Program,
  ProgramEnd,
  ToolRequest,
} from "../../lisp/program";
import type { Answered } from "../result/answered";

/** A program in the middle of its work, as JSON. */
export interface OpenProgram {
  machine: MachineState;
  /** The number of calls that were made. */
  calls: number;
  /** Requests of the program that were not made yet. */
  held: ToolRequest[];
  waiting: WaitingCall[];
}

/** A call that waits for a person: the next run makes it again, under its number, and finds its review. */
export interface WaitingCall {
  request: ToolRequest;
  call: number;
  since: number;
}

/** A call as the run makes it. */
export interface StartedCall {
  call: ToolCall;
  parallel: boolean;
  /** When it was made first, ms since 1970. */
  since: number;
  /** Asks a person. During that time nothing is under way, so another run may continue the program. */
  person<T>(ask: () => Promise<T>): Promise<T>;
  /** A native call that was approved waits while another one of its reply makes this effect; undefined: none does. */
  alone?(effect: string): Promise<void> | undefined;
}

/** The parts of its run that a running program needs. */
export interface ProgramPort {
  turn: number;
  callTool(started: StartedCall): Promise<Answered>;
  /** A recorded task asks for another effect: somebody decides. */
  decideOtherEffect(question: OtherEffectQuestion, started: StartedCall): Promise<Answered>;
  /** An answer came with a note to the model. */
  noted(notice: string): void;
  /** Whether no further call may be made here; `underWay` calls are being made. */
  shouldPause(underWay: number): boolean;
  /**
   * Has this call and those that follow it made by one activity, where that pays; nothing else is under way. When it resolves,
   * `callTool` answers them at once. undefined: the call is made as usual.
   *
   * @param state of the program, which has not made the call
   */
  beginSequence(next: ToolRequest, state: () => OpenProgram): Promise<void> | undefined;
  now(): number;
}

/**
 * A program that runs. All requested tool calls that are ready are made at once, and the program continues with each
 * answer as it arrives. When its host needs a pause, no further call is made, and the calls under way end first.
 */
export class RunningProgram {
  private readonly answers: { id: number; answer: Result<Json>; notes: CallNotes }[] = [];
  private readonly held: ToolRequest[];
  private readonly open = new CallsUnderWay<WaitingCall>();
  private calls: number;
  private again: WaitingCall[];

  constructor(
    private readonly program: Program,
    private readonly port: ProgramPort,
    { calls, held, waiting }: Omit<OpenProgram, "machine"> = { calls: 0, held: [], waiting: [] },
  ) {
    this.calls = calls;
    this.held = [...held];
    this.again = [...waiting];
  }

  /** Runs to the end of the program, or to a pause: null. After a pause it can be called again. */
  async advance(): Promise<ProgramEnd | null> {
    this.open.thaw();
    for (const one of this.again.splice(0)) this.start(one);
    for (;;) {
      const state = this.program.run();
      if (state.state === "done") return state.end;
      this.held.push(...state.requests);
      const sequence = this.beginSequence();
      // Without a sequence the calls are made at once: a wait would change the order of the calls on a replay.
      if (sequence !== undefined) await sequence;
      const pausing = this.makeCalls();
      if (this.answers.length === 0 && !this.open.isBroken) {
        if (pausing && this.open.busy === 0) return null;
        if (this.open.size === 0) throw new Error("the program waits, but for no tool");
        await this.open.change();
      }
      this.open.check();
      for (const { id, answer, notes } of this.answers.splice(0)) this.program.resume(id, answer, notes);
    }
  }

  /** Whether nothing is under way, so that another run can continue the program. */
  get isPaused(): boolean {
    return this.open.busy === 0 && this.answers.length === 0 && !this.open.isBroken;
  }

  /** Looks again whether a pause is needed: the host has changed its mind while the program waited. */
  recheck(): void {
    this.open.recheck();
  }

  /** The program in its pause. From here on its open calls do nothing more, unless `advance` is called again. */
  state(): OpenProgram {
    // Those of the run before that were not made again yet are open as well.
    const waiting = [...this.again, ...this.open.freeze().map(([, call]) => call)];
    return { machine: this.program.state(), calls: this.calls, held: [...this.held], waiting };
  }

  /** Only while no other call is under way: the activity would have to make that one, too. */
  private beginSequence(): Promise<void> | undefined {
    const [next] = this.held;
    const isAlone = this.held.length === 1 && this.open.size === 0;
    if (next === undefined || !isAlone || next.parallel === true || next.other_effect !== undefined) return undefined;
    return this.port.beginSequence(next, () => this.unmade());
  }

  /** The program before the calls that wait; nothing is under way. */
  private unmade(): OpenProgram {
    return { machine: this.program.state(), calls: this.calls, held: [...this.held], waiting: [] };
  }

  /** Makes the calls that are requested. @returns whether the host needs a pause */
  private makeCalls(): boolean {
    while (!this.port.shouldPause(this.open.busy)) {
      const request = this.held.shift();
      if (request === undefined) return false;
      this.calls += 1;
      this.start({ request, call: this.calls, since: this.port.now() });
    }
    return true;
  }

  private start(made: WaitingCall): void {
    const { id, name, args, task, parallel, other_effect: question } = made.request;
    const call = { name, args, turn: this.port.turn, call: made.call, ...defined({ task }) };
    const done = ({ answer, notes = {}, notice }: Answered) => {
      if (notice !== undefined) this.port.noted(notice);
      this.answers.push({ id, answer, notes });
    };
    void this.open.make(
      made.call,
      made,
      (person) => {
        const started: StartedCall = { call, parallel: parallel === true, since: made.since, person };
        return question === undefined ? this.port.callTool(started) : this.port.decideOtherEffect(question, started);
      },
      done,
    );
  }
}
