import type { UndoPlan } from "../../core/effects/undo-plan";
import type { Judgement } from "./judge";
import type { EffectRun } from "./run-in-memory";

/** What the proof counts. */
export class EffectFigures {
  missions = 0;
  /** Missions that are plans. */
  plans = 0;
  replans = 0;
  turns = 0;
  failed_turns = 0;
  agents_run = 0;
  deeds_intended = 0;
  deeds_done = 0;
  repeats = 0;
  losses = 0;
  conflicts = 0;
  conflicts_told = 0;
  conflicts_logged = 0;
  reviews_asked = 0;
  approvals_asked = 0;
  needless_stops = 0;
  needless_stops_percent = 0;
  lost_answers = 0;
  declined = 0;
  lookups = 0;
  answered_by_key = 0;
  cross_deeds = 0;
  worker_kills = 0;
  missions_undone = 0;
  deeds_undone = 0;
  deeds_announced_to_remain = 0;

  countRun({ end, person }: EffectRun, judged: Judgement): void {
    this.missions += 1;
    this.turns += end.told.length;
    this.failed_turns += end.told.filter(({ succeeded }) => succeeded === false).length;
    this.agents_run += end.agents_run;
    this.replans += end.replans;
    this.reviews_asked += person.asked;
    this.approvals_asked += person.approvals;
    this.needless_stops += person.needless.length > 0 ? 1 : 0;
    this.needless_stops_percent = Math.round((this.needless_stops / this.missions) * 10_000) / 100;
    this.count(judged);
  }

  /** What two missions share. */
  countShared(judged: Judgement): void {
    this.cross_deeds += judged.intended;
    this.count(judged);
  }

  countUndo({ remaining }: Pick<UndoPlan, "remaining">): void {
    this.missions_undone += 1;
    this.deeds_announced_to_remain += remaining.length;
  }

  countService(service: {
    undone: number;
    lost: number;
    declined: number;
    lookups: number;
    deduplicated: readonly unknown[];
  }): void {
    this.deeds_undone += service.undone;
    this.lost_answers += service.lost;
    this.declined += service.declined;
    this.lookups += service.lookups;
    this.answered_by_key += service.deduplicated.length;
  }

  private count(judged: Judgement): void {
    this.deeds_intended += judged.intended;
    this.deeds_done += judged.done;
    this.repeats += judged.repeats;
    this.losses += judged.losses;
    this.conflicts += judged.conflicts;
    this.conflicts_told += judged.told;
    this.conflicts_logged += judged.logged;
  }
}
