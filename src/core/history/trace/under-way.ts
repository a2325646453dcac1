import { RUN_CALLS } from "../../calls/run-calls";
import { writtenFacts } from "../read/decode-events";
import type { FactOf } from "../read/facts";
import { historyEnd } from "../read/workflow-end";
import type { MissionHistories } from "./read-mission";

/** An activity that may have made calls of which the history does not tell yet (engine reference, section 16). */
export interface ActivityUnderWay {
  /** The workflow id of the run. */
  run: string;
  /** As in the Web UI: `turn 1: model`. */
  what: string;
  /** Ms since 1970. */
  since: number;
}

/**
 * The activities of a mission whose calls may be missing from its effects: a run that was terminated, or whose worker is lost, has not heard of
 * them. A run that has ended by itself has.
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
