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
  /** Asks a person. Meanwhile nothing is under way, so the turn may be carried into another run. */
  person<T>(ask: () => Promise<T>): Promise<T>;
}

/** What the calls of a reply need from their run. */
export interface NativePort {
  /** How many are made at the same time; calls that wait for a person do not count. */
  limit: number;
  make(call: NativeCall, started: StartedNativeCall): Promise<Called>;
  /** Calls with the same key do not run side by side: the second is given what the first has brought. */
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
 * The calls of one reply of a model in text mode (agent reference, section 15), as many at a time as the agent allows. Like a
 * program they can stop for a pause while some of them wait for people, and go on in another run.
 */
export class NativeCalls {
  private readonly done: Map<number, Called>;
  private readonly open = new Map<number, number>();
  private readonly persons = new Set<number>();
  private readonly pending: number[];
  private again: [place: number, since: number][];
  private fault: { error: unknown } | undefined;
  private frozen = false;
  private readonly thawing: (() => void)[] = [];
  private wake: () => void = () => {};

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
    this.frozen = false;
    for (const go of this.thawing.splice(0)) go();
    for (const [place, since] of this.again.splice(0)) void this.start(place, since, true);
    for (;;) {
      const pausing = this.makeCalls();
      if (this.fault !== undefined) throw this.fault.error;
      if (this.done.size === this.calls.length) return this.calls.map((_, place) => this.done.get(place) as Called);
      if (pausing && this.underWay === 0) return null;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  /** Nothing is under way, so that the turn can be carried into another run. */
  get isPaused(): boolean {
    return this.underWay === 0 && this.fault === undefined;
  }

  /** Looks again whether a pause is needed: the host has changed its mind while a person was waited for. */
  poke(): void {
    this.wake();
  }

  /** The calls in their pause. From here on the open ones do nothing more, unless `advance` is called again. */
  state(): OpenNativeCalls {
    this.frozen = true;
    const waiting = [...this.persons].sort((a, b) => a - b);
    return {
      calls: [...this.calls],
      done: [...this.done].sort(([a], [b]) => a - b),
      waiting: waiting.map((place) => [place, this.open.get(place) as number]),
    };
  }

  private get underWay(): number {
    return this.open.size - this.persons.size;
  }

  /** Makes the calls that may be made now. @returns whether the host needs a pause */
  private makeCalls(): boolean {
    for (;;) {
      if (this.port.shouldPause(this.underWay)) return true;
      if (this.underWay >= this.port.limit) return false;
      const next = this.pending.findIndex((place) => !this.waitsForEqual(place));
      if (next < 0) return false;
      const [place] = this.pending.splice(next, 1);
      void this.start(place as number, this.port.now(), false);
    }
  }

  private waitsForEqual(place: number): boolean {
    const key = this.keyAt(place);
    return key !== null && [...this.open.keys()].some((other) => this.keyAt(other) === key);
  }

  private keyAt(place: number): string | null {
    return this.port.keyOf(this.calls[place] as NativeCall);
  }

  private async start(place: number, since: number, again: boolean): Promise<void> {
    this.open.set(place, since);
    try {
      const person = <T>(ask: () => Promise<T>) => this.person(place, ask);
      const called = await this.port.make(this.calls[place] as NativeCall, { place, since, again, person });
      this.done.set(place, called);
    } catch (error) {
      // Not the tool's own failure (which is an answer), but a cancellation or a bug. It ends the run unchanged.
      this.fault ??= { error };
    }
    this.open.delete(place);
    this.wake();
  }

  private async person<T>(place: number, ask: () => Promise<T>): Promise<T> {
    this.persons.add(place);
    this.wake();
    try {
      const said = await ask();
      // The state is written: another run makes this call again, and hears the same answer.
      if (this.frozen) await new Promise<void>((resolve) => this.thawing.push(resolve));
      return said;
    } finally {
      this.persons.delete(place);
    }
  }
}
