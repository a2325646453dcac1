import type { Json, JsonObject } from "../../src/core/base/json";
import type { Review } from "../../src/core/review/review";
import type { EffectService } from "./effect-service";
import { type CallPlace, memoOf, type ProgramPlace } from "./missions/call-place";
import { effectName, type WantedEffect } from "./missions/mission";

/** What a review of the mission asks. */
interface Asked {
  code?: "same_effect" | "unknown_outcome" | "other_effect";
  tool: string;
  args: JsonObject;
  /** Of the call whose outcome is unknown. */
  key?: string;
  /** With the mission that did it, if it is another one. */
  earlier?: { key: string; mission?: string; state?: string };
  /** The texts that differ, if nothing else does. */
  texts?: string[];
  /** An agent parallel to the one that asks may mean the same effect, and takes it without asking. */
  contested?: true;
}

/** What a person reads of a review. */
export type AskedReview = Pick<Review, "data" | "choices" | "title" | "kind">;

/** What a person decides, without the review. */
export interface Decided {
  choice: string;
  by: string;
  value?: Json;
}

/** What the person knows of the mission. */
export interface WantedAndSent {
  /** How often a program requests an effect, and how often the model has seen it done, so that the program does not request it. */
  countOf(effect: string, place: ProgramPlace): { sent: number; seen: number };
  /** The program that calls for an effect now. */
  placeOf(effect: string, agent: string | null): ProgramPlace;
}

/**
 * The person who is asked: knows the wanted effects, and looks in the books of the service. Does not know the rules of the
 * ledger.
 */
export class Person {
  /** Reviews about an effect that is there already, or whose outcome is unknown. */
  asked = 0;
  /** The same, by tool. */
  readonly askedOf = new Map<string, number>();
  approvals = 0;
  /** Of those: about a call that differs from an earlier one in words alone. */
  reworded = 0;
  /** Asked although nothing equal had been done or lost before. */
  readonly needless: string[] = [];
  /** Calls of a program that the person took for effects that were done before, by program, effect and agent. */
  private readonly taken = new Map<string, Map<number, { attempt: number; calls: number }>>();

  /** Calls that the person let be made although an equal effect was done: some of them are still to come. */
  private readonly more = new Set<string>();

  constructor(
    private readonly intent: WantedAndSent,
    private readonly missionId: string,
    private readonly service: EffectService,
    /** Workers are killed: any answer may be lost. */
    private readonly losesAnswers = false,
    /** Other missions that share their effects with this one. */
    private readonly others: readonly string[] = [],
  ) {}

  /** @param agent the one that asks; null = the one that was started */
  decide({ data, choices, title }: AskedReview, agent: string | null): Decided {
    const asked = data as unknown as Asked;
    const by = "proof";
    if (asked.code === undefined) {
      this.approvals += 1;
      return { choice: "approve", by };
    }
    // What a task asks for is wanted, whatever its name stood for.
    if (asked.code === "other_effect") return { choice: "do_now", by };
    this.asked += 1;
    if (asked.texts !== undefined) this.reworded += 1;
    const { tool, args } = asked;
    this.askedOf.set(tool, (this.askedOf.get(tool) ?? 0) + 1);
    const { missionId, service } = this;
    const effect = service.tools.of(tool).effectOf(args);
    const all = [missionId, ...this.others];
    const isLost =
      all.some((id) => service.lostEffects.has(`${id} ${effect}`)) ||
      (this.losesAnswers && asked.code === "unknown_outcome");
    if (all.every((id) => service.actsOf(id, effect).length === 0) && !isLost) this.needless.push(title);
    if (asked.code === "unknown_outcome") {
      const act = service.findOut(asked.key as string);
      if (act) return { choice: "it_happened", by, value: service.answerOf(act) };
      // Both are true; the choice of people depends on nothing that the ledger knows.
      return { choice: JSON.stringify(args).length % 2 === 0 ? "did_not_happen" : "try_again", by };
    }
    const { earlier } = asked;
    // The place of another mission is no sign of the place of this one.
    const before =
      earlier === undefined || earlier.mission !== undefined ? undefined : service.lastPlaceOf(earlier.key);
    const now = service.tools.of(tool).placeIn(args) ?? { ...this.intent.placeOf(effect, agent), nth: 0 };
    const isLostBefore = earlier?.state === "unknown";
    if (asked.contested && this.isOneMore(effect, now, isLostBefore ? 1 : 0)) {
      this.more.add(`${effect} ${memoOf(now, "")}`);
      return { choice: "do_again", by };
    }
    // What became of it is found out before it is made.
    if (asked.contested && isLostBefore) return { choice: "use_earlier", by };
    if (!this.isDone(effect, now, before)) return { choice: "do_again", by };
    return { choice: choices.includes("use_earlier") ? "use_earlier" : "reject", by };
  }

  /** Whether the program requests more effects than were done before it, and this call may stand for one of these. */
  private isOneMore(effect: string, now: CallPlace, lost: number): boolean {
    const { sent } = this.intent.countOf(effect, now);
    const acts = this.service.actsOf(this.missionId, effect).filter(({ place }) => place.stage === now.stage);
    const done = new Set(acts.map(({ place }) => `${effect} ${memoOf(place, "")}`));
    const coming = [...this.more].filter((one) => one.startsWith(`${effect} #${now.stage}.`) && !done.has(one));
    return sent > acts.length + coming.length + lost + this.doneElsewhere(effect).length;
  }

  /**
   * Whether the call means an effect that is done. Of the calls that a program makes of an effect, as many do as it was done in
   * the programs of this stage before, without those that the model has seen and does not request any more.
   */
  private isDone(effect: string, now: CallPlace, earlier: CallPlace | undefined): boolean {
    const { sent, seen } = this.intent.countOf(effect, now);
    const acts = this.service.actsOf(this.missionId, effect).filter(({ place }) => place.stage === now.stage);
    const program = `${now.stage}.${now.script} ${effect}`;
    const taken = this.taken.get(program) ?? new Map<number, { attempt: number; calls: number }>();
    this.taken.set(program, taken);
    const own = taken.get(now.work);
    if (own === undefined || own.attempt < now.attempt) taken.set(now.work, { attempt: now.attempt, calls: 0 });
    const known =
      acts.filter(({ place }) => place.script < now.script).length +
      Math.min(sent + seen, this.doneElsewhere(effect).length);
    const before = known - seen;
    const retold = acts.filter(
      ({ place }) => place.script === now.script && place.attempt < (taken.get(place.work)?.attempt ?? 0),
    ).length;
    const done = Math.max(0, before) + retold;
    const calls = [...taken.values()].reduce((sum, one) => sum + one.calls, this.answeredByKey(effect, now, taken));
    if (calls >= done) return false;
    // The call of an earlier stage is another effect, as long as this program means any that is not done.
    const isOfStage = earlier === undefined || earlier.stage === now.stage;
    if (!isOfStage && sent > done) return false;
    (taken.get(now.work) as { calls: number }).calls += 1;
    return true;
  }

  /** Calls of a program that the service answered with what an earlier program had done: nobody was asked about them. */
  private answeredByKey(
    effect: string,
    { stage, script }: CallPlace,
    present: ReadonlyMap<number, { attempt: number }>,
  ): number {
    const calls = this.service.deduplicated.filter(
      (call) =>
        call.mission === this.missionId &&
        call.effect === effect &&
        call.place.stage === stage &&
        call.place.script === script &&
        call.place.attempt >= (present.get(call.place.work)?.attempt ?? 0) &&
        call.before.script < script,
    );
    // A call that a worker made twice is one.
    return new Set(calls.map(({ place }) => memoOf(place, ""))).size;
  }

  private doneElsewhere(effect: string) {
    return this.others.filter((id) => id !== this.missionId).flatMap((id) => this.service.actsOf(id, effect));
  }
}

/** How often an effect is wanted by some of the effects of a stage. */
export const timesWanted = (effects: readonly WantedEffect[], effect: string): number =>
  effects.filter((one) => effectName(one) === effect).reduce((sum, { times }) => sum + times, 0);
