import { defined } from "../../base/defined";
import { isoTime } from "../../base/iso-time";
import type { JsonObject } from "../../base/json";
import { chainInHistory } from "../export/chain-in-history";
import type { HistoryFact } from "../read/facts";
import { readHistory } from "../read/history";
import { givenBudget } from "../trace/given-budget";
import { type AskingProgram, missionEffects, type ShownEffect } from "../trace/mission-effects";
import type { MissionHistories } from "../trace/read-mission";
import type { EffectReasons, ReasonReview } from "./effect-reasons";
import { reviewsInLinks } from "./reviews-in-links";

/**
 * Shows why each effect of a mission came about, from its histories alone: no worker is needed.
 *
 * @param wanted a key, or the beginning of one; absent = all effects
 * @param earlier the missions that a retry has taken over, the newest first: they show why their effects came about
 * @throws HistoryFormatError for input that is no history
 */
export function whyInHistory(
  mission: MissionHistories,
  wanted = "",
  earlier: readonly MissionHistories[] = [],
): EffectReasons[] {
  const { effects, programs } = missionEffects(mission);
  const workflows = new Workflows(mission);
  const found = effects.filter(({ key }) => key.startsWith(wanted));
  const [before, ...older] = earlier;
  const isTaken = ({ program, taken_from }: ShownEffect) => program === undefined && taken_from !== undefined;
  const reasonsBefore = new Map(
    before === undefined || !found.some(isTaken)
      ? []
      : whyInHistory(before, wanted, older).map((reasons) => [reasons.effect.key, reasons]),
  );
  return found.map((effect) => {
    const reasons = reasonsOf(effect, programs[(effect.program ?? 0) - 1], workflows, mission.workflow_id);
    if (!isTaken(effect)) return reasons;
    const known = reasonsBefore.get(effect.key);
    return known === undefined
      ? { ...reasons, missing: ["program", "model"].map((what) => notRead(what, effect.taken_from as string)) }
      : { ...known, effect: reasons.effect };
  });
}

function reasonsOf(
  effect: ShownEffect,
  program: AskingProgram | undefined,
  workflows: Workflows,
  mission: string,
): EffectReasons {
  const { key, tool, state, args, answer, at, task, by, message } = effect;
  const run = effect.run ?? mission;
  const workflow = workflows.get(run);
  const text = program?.text ?? null;
  return {
    effect: { key, tool, state, at: isoTime(at), ...defined({ args, answer, task, by, message }) },
    run,
    work: workflows.workOf(run),
    turn: program?.turn ?? effect.turn,
    invocation: program?.invocation ?? 1,
    model: program?.model ?? null,
    program: text ?? workflow?.givenProgram ?? null,
    reviews: workflow?.reviewsOf(key) ?? [],
    budget: { limit: workflows.budgetOf(run), ...defined({ turn_cost: program?.cost }) },
    missing: [
      ...(text === null && workflow?.givenProgram === undefined ? [NO_PROGRAM] : []),
      ...(program?.model === undefined ? [NO_MODEL] : []),
    ],
  };
}

const NO_PROGRAM = "the program: the model called its tools without one, or its history is gone";
const NO_MODEL = "the model: the program was given with the start of the run, or its history is gone";
const notRead = (what: string, made: string): string =>
  `the ${what}: "${made}" made the effect, and its history was not read or is gone`;

/** The workflows of a mission, and how they were started. */
class Workflows {
  private readonly byId = new Map<string, Workflow>();
  private readonly parents = new Map<string, { workflow_id: string; type: string; step: string }>();

  constructor(mission: MissionHistories) {
    this.add(mission);
  }

  get(id: string): Workflow | undefined {
    return this.byId.get(id);
  }

  /** The node or the plan step, which a task or a plan names in its description of the run. */
  workOf(id: string): EffectReasons["work"] {
    for (let parent = this.parents.get(id); parent !== undefined; parent = this.parents.get(parent.workflow_id))
      if (parent.type !== "agentRun") return parent;
    return null;
  }

  /** The nearest limit above. */
  budgetOf(id: string): JsonObject | null {
    for (let at: string | undefined = id; at !== undefined; at = this.parents.get(at)?.workflow_id) {
      const limit = this.byId.get(at)?.budget ?? null;
      if (limit !== null) return limit;
    }
    return null;
  }

  private add({ workflow_id, runs, children }: MissionHistories): void {
    const workflow = new Workflow(workflow_id, runs);
    this.byId.set(workflow_id, workflow);
    for (const fact of workflow.facts) {
      if (fact.kind !== "child_asked") continue;
      const [step = ""] = (fact.summary ?? "").split(/, attempt |: /);
      this.parents.set(fact.workflow_id, { workflow_id, type: workflow.type, step });
    }
    for (const child of children) this.add(child);
  }
}

class Workflow {
  readonly facts: readonly HistoryFact[];
  readonly type: string;
  /** The limit of the run, if it has one. */
  readonly budget: JsonObject | null;
  readonly givenProgram: string | undefined;

  constructor(
    private readonly id: string,
    private readonly runs: readonly unknown[],
  ) {
    this.facts = runs.flatMap(readHistory);
    const [first] = this.facts;
    const { workflow_type, input } = first?.kind === "started" ? first : { workflow_type: "" };
    this.type = workflow_type;
    this.budget = givenBudget(input);
    this.givenProgram = typeof input?.program === "string" ? input.program : undefined;
  }

  reviewsOf(key: string): ReasonReview[] {
    return reviewsInLinks(chainInHistory(this.id, this.runs).links, key);
  }
}
