import type { JsonObject } from "../../../src/core/base/json";
import { deedText } from "./proof-tool";

/**
 * A mission of the proof, as plain data: first what is meant, then how a faulty model tells it. What is meant is decided
 * without any look at the ledger, so that the judge does not depend on what it judges.
 */
export interface EffectMission {
  /** One after another. The model goes on to the next one when it has seen that all deeds of a stage are done. */
  stages: MissionStage[];
  /** The stages are tasks of a plan, each done by an agent of its own. Absent = one agent does them all. */
  plan?: PlanShape;
  /** The stages are steps of a graph, each done by an agent of its own, and each followed by a gate. */
  graph?: GraphShape;
  /** A mission at the same time, which means some of the same deeds: those that both mean are done once. */
  partner?: EffectMission;
}

/** How a plan goes about the stages. */
export interface PlanShape {
  /** All stages at once; else each after the one before. */
  parallel: boolean;
  /** What happens when the agent of a stage gives up, by stage. */
  on_failure: ("retry" | "replan")[];
  /** Of each repaired plan: whether it keeps the results of stages that are done, or does them again under other names. */
  keeps: boolean[];
}

/** How the gates of a graph decide. */
export interface GraphShape {
  /** By gate: the stages to which it sends the task back, one after another. Then it lets the task pass. */
  sends_back: number[][];
}

/** Some deeds that are meant, and the ways in which the model tells them: again and again, until they are done. */
export interface MissionStage {
  deeds: MeantDeed[];
  /** At least one; the last one is told again as often as needed. */
  tellings: Telling[];
}

/** A deed, and how often it is meant in its stage: a loop over three days means it three times. */
export interface MeantDeed {
  tool: string;
  /** Those that make the deed. */
  args: JsonObject;
  times: number;
  /** The model changes its mind: it tells this deed in a turn that fails, and never again. */
  regretted?: true;
}

/** One program of the model. */
export interface Telling {
  forms: ToldForm[];
  end: TellingEnd;
}

export type TellingEnd =
  /** The program gives a value, or returns one. */
  | { kind: "succeeds" }
  /** It fails behind the first `after` forms. */
  | { kind: "fails"; after: number }
  /** It returns what does not fit the signature. */
  | { kind: "returns_wrong" }
  /** The agent gives up when it has told everything. */
  | { kind: "gives_up" };

/** A part of a program that makes calls. Every form has a value: the names of the deeds that it was answered. */
export type ToldForm =
  | { kind: "plain"; calls: DeedCall[] }
  | { kind: "task"; id: string; calls: DeedCall[]; reset?: true }
  | { kind: "parallel"; calls: DeedCall[]; tasks?: string[] }
  /** Equal deeds, one after another. */
  | { kind: "loop"; style: "for" | "loop" | "map"; calls: DeedCall[] }
  | { kind: "agents"; works: Work[]; parallel: boolean };

/** What another agent does that is run as a tool: it tells its deeds until it has done them. */
export interface Work {
  tellings: Telling[];
}

/** A call of a program: which deed of the stage it means, and which one of equal ones. */
export interface DeedCall {
  deed: number;
  /** From 1. */
  nth: number;
  fault?: CallFault;
  /** The program goes on when the call fails. */
  caught?: true;
  /** Free text beside the deed. */
  words: string;
}

/**
 * - `lost_before`, `lost_after`: the answer is lost, and the service has not acted, or has.
 * - `declined`: the service says no.
 */
export type CallFault = "lost_before" | "lost_after" | "declined";

/** The name of a deed, as the service answers it: what is done, whatever is said beside it. */
export const deedName = ({ tool, args }: Pick<MeantDeed, "tool" | "args">): string => deedText(tool, args);

/** All calls of a form that its own agent makes, and those of the agents that it runs. */
export function callsOf(form: ToldForm): DeedCall[] {
  return form.kind === "agents" ? form.works.flatMap(workCalls) : form.calls;
}

/** What a program hears the answers of: a task that runs beside others, or a whole form. */
export interface FormPart {
  calls: DeedCall[];
  /** The task that the calls stand in. */
  task?: string;
}

export function formParts(form: ToldForm): FormPart[] {
  if (form.kind === "task") return [{ calls: form.calls, task: form.id }];
  if (form.kind !== "parallel" || form.tasks === undefined) return [{ calls: callsOf(form) }];
  const { tasks } = form;
  return form.calls.map((call, at) => ({ calls: [call], task: tasks[at] as string }));
}

/** What an agent is to do: all of its tellings tell the same deeds. */
export const workCalls = ({ tellings }: Work): DeedCall[] => (tellings.at(-1) as Telling).forms.flatMap(callsOf);

/** A telling with other calls. */
export function mapCalls({ forms, end }: Telling, map: (call: DeedCall) => DeedCall): Telling {
  const mapped = forms.map((form): ToldForm => {
    if (form.kind !== "agents") return { ...form, calls: form.calls.map(map) };
    return {
      ...form,
      works: form.works.map(({ tellings }) => ({ tellings: tellings.map((one) => mapCalls(one, map)) })),
    };
  });
  return { forms: mapped, end };
}
