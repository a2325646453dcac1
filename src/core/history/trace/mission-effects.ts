import { withoutHidden } from "../../agent/prompt/hidden-values";
import { defined } from "../../base/defined";
import type { JsonObject } from "../../base/json";
import { RUN_CALLS } from "../../calls/run-calls";
import { identityArguments } from "../../effects/effect-id";
import type { EffectEntry } from "../../effects/entry";
import { writtenFacts } from "../read/decode-events";
import type { FactOf } from "../read/facts";
import { readHistory } from "../read/history";
import { hasLedger, projectEffects } from "../read/project-effects";
import { historyEnd, type WorkflowEnd } from "../read/workflow-end";
import { addRecords } from "./add-records";
import { numberAt } from "./number-at";
import type { MissionHistories } from "./read-mission";
import { readRun } from "./read-run";
import type { TurnSpan } from "./span";
import { type MissionEntry, missionLedger } from "./undo-of-mission";

/** The effects of a mission and of all runs below it, from their histories alone: no worker is needed. */
export interface MissionEffects {
  workflow_id: string;
  /** false: it is an undo, which keeps none. */
  ledger: boolean;
  effects: ShownEffect[];
  /** The programs that asked for the effects, in the order of the first effect of each. */
  programs: AskingProgram[];
  /** Runs of it that were reset: the effects lack their work after that point. */
  resets: RunReset[];
  /** Activities whose last calls may be missing from the effects. */
  under_way: ActivityUnderWay[];
  /** How the mission ended; null while it runs. */
  end: WorkflowEnd | null;
}

/** A reset of a workflow from outside. */
export interface RunReset {
  /** The workflow id. */
  run: string;
  /** The Temporal run id of the run that was reset: its history has that work. */
  earlier_run_id: string;
  /** Ms since 1970. */
  at: number;
}

/** An effect, and where it was asked for. */
export interface ShownEffect extends MissionEntry {
  /** The arguments that make the effect; absent when they were too long to be kept. */
  identity_args?: JsonObject;
  /** The workflow id of the agent's run that asked for it. */
  run?: string;
  /** The number of the program that asked for it, in `programs`, from 1. */
  program?: number;
}

/** A program that asked for effects. */
export interface AskingProgram {
  run: string;
  turn: number;
  /** From 2 on: the run was woken by a decision, and started again with turn 1. */
  invocation: number;
  /** null: the model called the tools without a program. */
  text: string | null;
  /** The model that wrote it; absent: no model did. */
  model?: string;
  /** What the model calls of its turn cost, US dollars; absent when unknown. */
  cost?: number;
}

/**
 * The effects of a mission, in the order of their calls. An effect whose call was under way when its run ended is
 * `unknown`. Values under names that begin with `_` are hidden, as they are from the model.
 *
 * @throws HistoryFormatError for what is no history
 */
export function missionEffects(mission: MissionHistories): MissionEffects {
  const places = new Places();
  places.read(mission);
  const effects = missionLedger(mission).map((entry): ShownEffect => {
    const { args, answer } = entry;
    return {
      ...entry,
      ...(args === undefined ? {} : { args: withoutHidden(args) as JsonObject }),
      ...(answer === undefined ? {} : { answer: withoutHidden(answer) }),
      ...(args === undefined ? {} : { identity_args: withoutHidden(identityArguments(entry, args)) as JsonObject }),
      ...places.of(entry),
    };
  });
  return {
    workflow_id: mission.workflow_id,
    ledger: hasLedger(mission.runs.at(-1)),
    effects,
    programs: places.programs,
    resets: resetsOf(mission),
    under_way: activitiesUnderWay(mission),
    end: endOf(mission),
  };
}

function resetsOf({ workflow_id, runs, children }: MissionHistories): RunReset[] {
  const own = writtenFacts(runs.at(-1) ?? []).flatMap((fact): RunReset[] =>
    fact.kind === "workflow_task_failed" && fact.base_run_id !== "" && fact.new_run_id !== ""
      ? [{ run: workflow_id, earlier_run_id: fact.base_run_id, at: fact.at }]
      : [],
  );
  return [...own, ...children.flatMap(resetsOf)];
}

/** The model that answered last: others may have given no answer. */
function modelOf({ children }: TurnSpan): string | undefined {
  const { opened, closed } = children.findLast(({ kind }) => kind === "llm") ?? {};
  const model = closed?.metadata.model ?? opened?.metadata.model;
  return typeof model === "string" ? model : undefined;
}

const endOf = ({ runs }: MissionHistories): WorkflowEnd | null => historyEnd(readHistory(runs.at(-1) ?? []));

/** Which program asked for an effect: the one that called its tool last, or that of its turn if there was no call. */
class Places {
  readonly programs: AskingProgram[] = [];
  private readonly numbers = new Map<TurnSpan, number>();
  private readonly byKey = new Map<string, { run: string; turn?: TurnSpan | undefined }>();

  read({ workflow_id, runs, children }: MissionHistories): void {
    const read = readRun(runs);
    if (read?.workflow_type === "agentRun") {
      addRecords(read);
      const turns = new Map(read.turns.map((turn) => [turn.number, turn]));
      // What was taken over and not called again was asked for in the mission that ended.
      for (const { key, turn, taken_from } of projectEffects(runs.at(-1) ?? []))
        this.byKey.set(
          key,
          taken_from === undefined ? { run: workflow_id, turn: turns.get(turn) } : { run: taken_from },
        );
      for (const turn of read.turns)
        for (const { opened } of turn.children) {
          const key = opened.metadata.idempotency_key;
          if (typeof key === "string" && this.byKey.has(key)) this.byKey.set(key, { run: workflow_id, turn });
        }
    }
    for (const child of children) this.read(child);
  }

  of({ key }: EffectEntry): Pick<ShownEffect, "run" | "program"> {
    const place = this.byKey.get(key);
    if (place === undefined) return {};
    const { run, turn } = place;
    return turn === undefined ? { run } : { run, program: this.numberOf(run, turn) };
  }

  private numberOf(run: string, turn: TurnSpan): number {
    const known = this.numbers.get(turn);
    if (known !== undefined) return known;
    const { program } = turn.closed.metadata;
    const cost = turn.children.reduce((sum, { closed }) => sum + numberAt(closed.measurements, "total_cost"), 0);
    const number = this.programs.push({
      run,
      turn: turn.number,
      invocation: turn.invocation,
      text: typeof program === "string" ? program : null,
      ...defined({ model: modelOf(turn) }),
      ...(cost > 0 ? { cost } : {}),
    });
    this.numbers.set(turn, number);
    return number;
  }
}

/** An activity that may have made calls that the history does not show yet (engine reference, section 16). */
export interface ActivityUnderWay {
  /** The workflow id of the run. */
  run: string;
  /** As in the Web UI: `turn 1: model`. */
  what: string;
  /** Ms since 1970. */
  since: number;
}

/**
 * The activities of a mission whose calls may be missing from its effects: a run that was terminated, or whose worker is lost, has not read
 * them. A run that ended in another way has.
 */
export function activitiesUnderWay({ workflow_id, runs, children }: MissionHistories): ActivityUnderWay[] {
  const facts = writtenFacts(runs.at(-1) ?? []);
  const below = children.flatMap(activitiesUnderWay);
  const state = historyEnd(facts)?.state;
  if (state !== undefined && state !== "terminated" && state !== "timed_out") return below;
  const lastTask = facts.findLast(({ kind }) => kind === "workflow_task_completed")?.id ?? 0;
  const open = new Map<number, ActivityUnderWay>();
  for (const fact of facts) {
    if (fact.kind === "activity_scheduled" && fact.activity === RUN_CALLS && makesCalls(fact))
      open.set(fact.id, { run: workflow_id, what: fact.summary ?? fact.activity, since: fact.at });
    // A lost one shows nothing before the run has seen its end.
    if (fact.kind === "activity_ended" && (fact.id < lastTask || fact.outcome === "completed")) open.delete(fact.call);
  }
  return [...open.values(), ...below];
}

/** Of a model that is asked alone the history has the reply. */
const makesCalls = ({ input = {} }: FactOf<"activity_scheduled">): boolean => "run" in input || "calls" in input;
