import { EffectGuard, type GuardAnswer, type GuardClaim, type GuardSettle } from "../core/effects/effect-guard";
import { guardOfKey } from "../core/effects/effect-key";

/**
 * The guards of effects in memory. Missions that are given the same object share their effects, as the missions of a
 * project on a server do.
 */
export class EffectGuards {
  private readonly guards = new Map<string, EffectGuard>();
  /** The callers that wait for a report to a guard. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** Waits while another mission makes the effect. */
  async claim(guard: string, claim: GuardClaim): Promise<GuardAnswer> {
    for (;;) {
      const answer = this.guardOf(guard).claim(claim);
      if (answer.state === "yours" || answer.holder.state !== "claimed") return answer;
      await new Promise<void>((resolve) => this.waiting.set(guard, [...(this.waiting.get(guard) ?? []), resolve]));
    }
  }

  settle(guard: string, settle: GuardSettle): void {
    if (!this.guardOf(guard).settle(settle)) return;
    for (const resolve of this.waiting.get(guard) ?? []) resolve();
    this.waiting.delete(guard);
  }

  /** The effect with this key was taken back; an effect that only its mission knows needs no notice. */
  undone(key: string): void {
    const guard = guardOfKey(key);
    if (guard !== undefined) this.settle(guard.workflow_id, { n: guard.n, state: "undone" });
  }

  private guardOf(id: string): EffectGuard {
    const guard = this.guards.get(id) ?? new EffectGuard();
    this.guards.set(id, guard);
    return guard;
  }
}
