import { CallsUnderWay } from "../../calls/calls-under-way";
import type { NativeCall } from "../../calls/host";
import type { Called } from "./native-call";

/** A call as the run makes it. */
export interface StartedNativeCall {
  /** From 0, in the order of the reply. */
  place: number;
  /** When it was made first, ms since 1970. */
  since: number;
  /** It was made before a pause already. */
  again: boolean;
  /** Asks a person. During that time nothing is under way, so another run may continue the turn. */
  person<T>(ask: () => Promise<T>): Promise<T>;
}

/** The parts of their run that the calls of a reply need. */
interface NativePort {
  /** How many are made at the same time; calls that wait for a person do not count. */
  limit: number;
  make(call: NativeCall, started: StartedNativeCall): Promise<Called>;
  /** Calls with the same key do not run side by side: the second begins when the first is over. */
  keyOf(call: NativeCall): string | null;
  /** Whether no further call may be made here; `underWay` calls are being made. */
  shouldPause(underWay: number): boolean;
  now(): number;
}

/** The calls of a reply in their middle, as JSON. */
export interface OpenNativeCalls {
  calls: NativeCall[];
  done: [place: number, called: Called][];
  /** Calls that were made and wait for a person. */
  waiting: [place: number, since: number][];
}

/**
 * The calls of one reply of a model in text mode (agent reference, section 15), as many at a time as the agent allows.
 * Like a program they can stop for a pause while some of them wait for people, and continue in another run.
 */
export class NativeCalls {
  private readonly done: Map<number, Called>;
  /** Since when each was made. */
  private readonly open = new CallsUnderWay<number>();
  private readonly pending: number[];
  private again: [place: number, since: number][];
  private readonly keys: (string | null)[] = [];

  constructor(
    readonly calls: readonly NativeCall[],
    private readonly port: NativePort,
    { done, waiting }: Omit<OpenNativeCalls, "calls"> = { done: [], waiting: [] },
  ) {
    this.done = new Map(done);
    this.again = [...waiting];
    const begun = new Set([...this.done.keys(), ...waiting.map(([place]) => place)]);
    this.pending = calls.flatMap((_, place) => (begun.has(place) ? [] : [place]));
  }

  /** Runs to the last answer, or to a pause: null. After a pause it can be called again. */
  async advance(): Promise<Called[] | null> {
    this.open.thaw();
    for (const [place, since] of this.again.splice(0)) void this.start(place, since, true);
    for (;;) {
      const pausing = this.makeCalls();
      this.open.check();
      if (this.done.size === this.calls.length) return this.calls.map((_, place) => this.done.get(place) as Called);
      if (pausing && this.open.busy === 0) return null;
      await this.open.change();
    }
  }

  /** Whether nothing is under way, so that another run can continue the turn. */
  get isPaused(): boolean {
    return this.open.busy === 0 && !this.open.isBroken;
  }

  /** Looks again whether a pause is needed: the host has changed its mind while a person was waited for. */
  recheck(): void {
    this.open.recheck();
  }

  /** The calls in their pause. From here on the open ones do nothing more, unless `advance` is called again. */
  state(): OpenNativeCalls {
    return {
      calls: [...this.calls],
      done: [...this.done].sort(([a], [b]) => a - b),
      // Those of the run before that were not made again yet are open as well.
      waiting: [...this.again, ...this.open.freeze()],
    };
  }

  /** Makes the calls that may be made now. @returns whether the host needs a pause */
  private makeCalls(): boolean {
    for (;;) {
      if (this.port.shouldPause(this.open.busy)) return true;
      if (this.open.busy >= this.port.limit) return false;
      const next = this.pending.findIndex((place) => !this.waitsForEqual(place));
      if (next < 0) return false;
      const [place] = this.pending.splice(next, 1);
      void this.start(place as number, this.port.now(), false);
    }
  }

  private waitsForEqual(place: number): boolean {
    const key = this.keyAt(place);
    return key !== null && this.open.places().some((other) => this.keyAt(other) === key);
  }

  private keyAt(place: number): string | null {
    let key = this.keys[place];
    if (key === undefined) key = this.keys[place] = this.port.keyOf(this.calls[place] as NativeCall);
    return key;
  }

  private start(place: number, since: number, again: boolean): Promise<void> {
    return this.open.make(
      place,
      since,
      (person) => this.port.make(this.calls[place] as NativeCall, { place, since, again, person }),
      (called) => void this.done.set(place, called),
    );
  }
}
