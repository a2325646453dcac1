/**
 * The calls of tools that a turn has under way: of a program, or of a reply with native calls. They can stop for a
 * pause while some of them wait for people, and then continue, here or in another run.
 *
 * One waiter and no races: outcomes of calls are taken in the order in which they came. On Temporal that is the order
 * of the history, so a replay does the same.
 */
export class CallsUnderWay<Call> {
  private readonly open = new Map<number, Call>();
  private readonly persons = new Set<number>();
  private failed: { error: unknown } | undefined;
  private frozen = false;
  private readonly thawing: (() => void)[] = [];
  private wake: () => void = () => {};

  /** All that are open. */
  get size(): number {
    return this.open.size;
  }

  /** Those that do not wait for a person. */
  get busy(): number {
    return this.open.size - this.persons.size;
  }

  /** Whether a call broke off, as no failure of a tool does. */
  get isBroken(): boolean {
    return this.failed !== undefined;
  }

  /** Their places. */
  places(): number[] {
    return [...this.open.keys()];
  }

  /**
   * Makes a call.
   *
   * @param make the call; `person` asks a person, and the call does not count as under way while it waits
   * @param done takes the outcome
   */
  async make<T>(
    place: number,
    call: Call,
    make: (person: <A>(ask: () => Promise<A>) => Promise<A>) => Promise<T>,
    done: (brought: T) => void,
  ): Promise<void> {
    this.open.set(place, call);
    try {
      done(await make((ask) => this.person(place, ask)));
    } catch (error) {
      // Not the tool's own failure (which is an answer), but a cancellation or a bug. It ends the run unchanged.
      this.failed ??= { error };
    }
    this.open.delete(place);
    this.wake();
  }

  /** Waits until something has changed. */
  change(): Promise<void> {
    return new Promise<void>((resolve) => {
      this.wake = resolve;
    });
  }

  /** Looks again, although nothing has come. */
  recheck(): void {
    this.wake();
  }

  /** @throws what broke a call off */
  check(): void {
    if (this.failed !== undefined) throw this.failed.error;
  }

  /** From here on the open calls do nothing more. @returns those that wait for a person, by place */
  freeze(): [place: number, call: Call][] {
    this.frozen = true;
    return [...this.persons].sort((a, b) => a - b).map((place) => [place, this.open.get(place) as Call]);
  }

  /** Lets the calls continue. */
  thaw(): void {
    this.frozen = false;
    for (const go of this.thawing.splice(0)) go();
  }

  private async person<A>(place: number, ask: () => Promise<A>): Promise<A> {
    this.persons.add(place);
    this.wake();
    try {
      const answer = await ask();
      // The state is written: another run makes this call again, and receives the same answer.
      if (this.frozen) await new Promise<void>((resolve) => this.thawing.push(resolve));
      return answer;
    } finally {
      this.persons.delete(place);
    }
  }
}
