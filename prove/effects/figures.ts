import type { UndoPlan } from "../../src/core/effects/undo/undo-plan";
import type { Figures } from "../frame/proof";
import type { ProvedTool } from "../frame/report";
import type { EffectService } from "./effect-service";
import type { JudgedCounts, Judgement } from "./judge";
import type { EffectMission } from "./missions/mission";
import { isOnGraph } from "./run-graph";
import type { EffectRun } from "./run-in-memory";
import { isPlanned } from "./run-plan";

/** What the proof counts. */
export class EffectFigures {
  missions = 0;
  /** Missions that are plans. */
  plans = 0;
  replans = 0;
  /** Missions that are tasks on a graph. */
  graphs = 0;
  sent_back = 0;
  turns = 0;
  failed_turns = 0;
  agents_run = 0;
  effects_intended = 0;
  effects_done = 0;
  repeats = 0;
  losses = 0;
  conflicts = 0;
  conflicts_reported = 0;
  conflicts_logged = 0;
  reviews_asked = 0;
  /** Questions about calls that differ from earlier ones in words alone. */
  reworded_asked = 0;
  approvals_asked = 0;
  needless_stops = 0;
  needless_stops_percent = 0;
  lost_answers = 0;
  declined = 0;
  lookups = 0;
  answered_by_key = 0;
  cross_effects = 0;
  worker_kills = 0;
  missions_undone = 0;
  effects_undone = 0;
  effects_announced_to_remain = 0;

  /** What was counted of each tool. */
  private readonly tools = new Map<string, ToolCounts>();

  countRun({ end, person }: EffectRun, judged: Judgement): void {
    for (const [tool, asked] of person.askedOf) this.toolCounts(tool).stops += asked;
    this.missions += 1;
    this.turns += end.sent.length;
    this.failed_turns += end.sent.filter(({ succeeded }) => succeeded === false).length;
    this.agents_run += end.agents_run;
    this.replans += end.replans;
    this.sent_back += end.sent_back;
    this.reviews_asked += person.asked;
    this.reworded_asked += person.reworded;
    this.approvals_asked += person.approvals;
    this.needless_stops += person.needless.length > 0 ? 1 : 0;
    this.needless_stops_percent = Math.round((this.needless_stops / this.missions) * 10_000) / 100;
    this.count(judged);
  }

  countShape(mission: EffectMission): void {
    if (isPlanned(mission)) this.plans += 1;
    if (isOnGraph(mission)) this.graphs += 1;
  }

  /** What two missions share. */
  countShared(judged: Judgement): void {
    this.cross_effects += judged.counts.intended;
    this.count(judged);
  }

  countUndo({ remaining }: Pick<UndoPlan, "remaining">): void {
    this.missions_undone += 1;
    this.effects_announced_to_remain += remaining.length;
  }

  countService(service: EffectService): void {
    this.effects_undone += service.undone;
    this.lost_answers += service.lost;
    this.declined += service.declined;
    this.lookups += service.lookups;
    this.answered_by_key += service.deduplicated.length;
    for (const [tool, calls] of service.calls) this.toolCounts(tool).calls += calls;
  }

  /** Without what is counted of each tool. */
  totals(): Figures {
    return Object.fromEntries(Object.entries(this).filter(([, figure]) => typeof figure === "number"));
  }

  /** What was counted of a tool; all 0 if no mission called it. */
  toolCounts(tool: string): ToolCounts {
    const known = this.tools.get(tool) ?? {
      calls: 0,
      effects_intended: 0,
      effects: 0,
      repeats: 0,
      losses: 0,
      conflicts: 0,
      conflicts_reported: 0,
      stops: 0,
    };
    this.tools.set(tool, known);
    return known;
  }

  private count({ counts, byTool }: Judgement): void {
    this.effects_done += counts.done;
    this.conflicts_logged += counts.logged;
    addJudged(this, counts);
    for (const [tool, one] of byTool) {
      const known = this.toolCounts(tool);
      known.effects += one.done;
      addJudged(known, one);
    }
  }
}

/** What is counted of all tools, and of each. */
type JudgedFigures = Pick<ToolCounts, "effects_intended" | "repeats" | "losses" | "conflicts" | "conflicts_reported">;

function addJudged(to: JudgedFigures, one: JudgedCounts): void {
  to.effects_intended += one.intended;
  to.repeats += one.repeats;
  to.losses += one.losses;
  to.conflicts += one.conflicts;
  to.conflicts_reported += one.reported;
}

/** What is counted of a tool, as the report lists it. */
type ToolCounts = Pick<
  ProvedTool,
  "calls" | "effects_intended" | "effects" | "repeats" | "losses" | "conflicts" | "conflicts_reported" | "stops"
>;
