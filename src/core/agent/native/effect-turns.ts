/**
 * Approved calls of a reply that make the same effect take turns, since a person's edits may have made them the same: the second
 * one is compared with what the first has done. A call has one turn at most, and gives it up before it waits for another one.
 */
export class EffectTurns {
  private readonly held = new Map<number, string>();
  private readonly waiting: { place: number; id: string; go: () => void }[] = [];

  /** @returns undefined: it is the turn of the call, at once */
  enter(place: number, id: string): Promise<void> | undefined {
    if (this.held.get(place) === id) return undefined;
    this.leave(place);
    if (![...this.held.values()].includes(id)) {
      this.held.set(place, id);
      return undefined;
    }
    return new Promise((go) => this.waiting.push({ place, id, go }));
  }

  /** The call is over, or means another effect. */
  leave(place: number): void {
    const id = this.held.get(place);
    if (id === undefined) return;
    this.held.delete(place);
    const next = this.waiting.findIndex((one) => one.id === id);
    if (next < 0) return;
    const [one] = this.waiting.splice(next, 1) as [(typeof this.waiting)[number]];
    this.held.set(one.place, id);
    one.go();
  }
}
