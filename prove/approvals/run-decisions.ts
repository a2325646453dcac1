import { NavigatorError } from "../../src/core/base/navigator-error";
import type { Decision, Review } from "../../src/core/review/review";
import type { Random } from "../frame/random";
import type { ApprovalRig, AskedMission } from "./approval-rig";
import { type DecisionAttack, type DecisionScene, signedYes, takenBack } from "./decision-attacks";
import { PAYERS } from "./team";

/** What one mission under attack has shown. */
export interface DecisionOutcome {
  refused_updates: number;
  refused_signals: number;
  controls: number;
  /** What went wrong, with the attack. */
  faults: { attack: string; surface: string; fault: string }[];
}

/** Each sound decision stands in one mission of so many, so that each is tried in every few. */
const CONTROLS_EVERY = 4;

/**
 * One mission that waits for three signed approvals, and every attack on it: by update, which is refused with a code, and by
 * signal, which is counted as refused. Now and then the same without its fault, which must count. Then three people
 * approve, and the service has charged once.
 */
export class DecisionsUnderAttack {
  private readonly outcome: DecisionOutcome = { refused_updates: 0, refused_signals: 0, controls: 0, faults: [] };
  private scene: DecisionScene;
  /** The review as it was after the last decision. */
  private standing: Review;
  /** Refused so far. */
  private signals = 0;

  private constructor(
    private readonly rig: ApprovalRig,
    private readonly mission: AskedMission,
    other: Review,
    random: Random,
    private readonly isControlled: (attack: number) => boolean,
  ) {
    this.scene = { team: rig.team, review: mission.review, other, random, via: "library" };
    this.standing = mission.review;
  }

  /**
   * @param index of the mission: the sound decisions of the attacks are spread over the missions
   * @param attacks those that are tried
   */
  static async run(
    rig: ApprovalRig,
    { index, missions, random, other }: { index: number; missions: number; random: Random; other: Review },
    attacks: readonly DecisionAttack[],
  ): Promise<DecisionOutcome> {
    const mission = await rig.asked(random.int(1, 100_000));
    const every = Math.min(CONTROLS_EVERY, Math.max(1, missions));
    const one = new DecisionsUnderAttack(rig, mission, other, random, (attack) => (attack + index) % every === 0);
    try {
      await one.attacked(attacks);
      return one.outcome;
    } finally {
      await rig.end(mission);
    }
  }

  private async attacked(attacks: readonly DecisionAttack[]): Promise<void> {
    const order = this.scene.random.shuffled([...attacks.keys()]);
    for (const number of order) {
      const attack = attacks[number] as DecisionAttack;
      await this.byUpdate(attack);
      if (this.isControlled(number)) await this.control(attack, "update");
    }
    this.scene = { ...this.scene, via: "signal" };
    for (const number of order) {
      const attack = attacks[number] as DecisionAttack;
      await this.bySignal(attack);
      if (this.isControlled(number)) await this.control(attack, "signal");
    }
    await this.ended();
  }

  private async byUpdate(attack: DecisionAttack): Promise<void> {
    const before = await this.prepared(attack);
    const code = await this.codeOf(await attack.forged(this.scene, before));
    if (code === attack.code) this.outcome.refused_updates += 1;
    else if (code === null) this.fault(attack, "update", "It counted");
    else this.fault(attack, "update", `It was refused as ${code}, and not as ${attack.code}`);
    await this.cleared();
  }

  private async bySignal(attack: DecisionAttack): Promise<void> {
    const before = await this.prepared(attack);
    if (await this.signalCounts(await attack.forged(this.scene, before))) this.fault(attack, "signal", "It counted");
    else this.outcome.refused_signals += 1;
    await this.cleared();
  }

  /** The same without its fault. */
  private async control(attack: DecisionAttack, surface: "update" | "signal"): Promise<void> {
    await this.prepared(attack);
    const decision = await attack.sound(this.scene);
    const refusal =
      surface === "update"
        ? await this.codeOf(decision)
        : (await this.signalCounts(decision))
          ? null
          : "the signal was counted as refused";
    if (refusal === null) this.outcome.controls += 1;
    else this.fault(attack, surface, `Without its fault it was refused, too: ${refusal}`);
    await this.cleared();
  }

  private async prepared(attack: DecisionAttack): Promise<Decision[]> {
    const before = (await attack.before?.(this.scene)) ?? [];
    for (const decision of before) await this.decide(decision);
    return before;
  }

  private async decide(decision: Decision): Promise<void> {
    this.standing = await this.mission.run.decide(decision);
  }

  /** The code of the refusal; null: it counted. */
  private async codeOf(decision: Decision): Promise<string | null> {
    try {
      await this.decide(decision);
      return null;
    } catch (error) {
      if (error instanceof NavigatorError) return error.code;
      throw error;
    }
  }

  /** Whether a signal counts. It is not answered: it changes the review, or the number of those that were refused. */
  private async signalCounts(decision: Decision): Promise<boolean> {
    const { run } = this.mission;
    const before = votesOf(this.standing);
    await run.signalDecide(decision);
    return this.rig
      .until("a signal is refused or counts", async () => {
        if ((await run.status()).refused_signals > this.signals) {
          this.signals += 1;
          return { counts: false };
        }
        const review = (await run.reviews()).find(({ id }) => id === this.standing.id) as Review;
        if (votesOf(review) === before) return undefined;
        this.standing = review;
        return { counts: true };
      })
      .then(({ counts }) => counts);
  }

  /** The review has no vote any more. */
  private async cleared(): Promise<void> {
    for (const { by } of this.standing.votes ?? []) await this.decide(await takenBack(this.scene, by));
  }

  private async ended(): Promise<void> {
    this.scene = { ...this.scene, via: "library" };
    const { run, payment } = this.mission;
    const charges = this.rig.payments.of(payment.order).length;
    if (charges > 0) this.fault(null, "service", `It was charged ${charges} times without a valid yes`);
    for (const name of PAYERS) await run.decide(await signedYes(this.scene, name));
    await run.result();
    const charged = JSON.stringify(this.rig.payments.of(payment.order));
    if (charged !== JSON.stringify([payment]))
      this.fault(
        null,
        "service",
        `After three signed yeses it has charged ${charged}, and not once ${JSON.stringify(payment)}`,
      );
  }

  private fault(attack: DecisionAttack | null, surface: string, fault: string): void {
    this.outcome.faults.push({ attack: attack?.name ?? "none", surface, fault });
  }
}

/** The votes, as a text. */
const votesOf = ({ status, votes = [] }: Review): string => JSON.stringify([status, votes.map(({ nonce }) => nonce)]);
