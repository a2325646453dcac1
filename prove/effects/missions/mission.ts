import type { JsonObject } from "../../../src/core/base/json";
import { effectText } from "./proof-tool";

/**
 * A mission of the proof, as plain data: first the wanted effects, then the scripts of a faulty model. The generator
 * decides the wanted effects without any look at the ledger, so that the judge does not depend on the ledger that it judges.
 */
export interface EffectMission {
  /** One after another. The model continues with the next one when it has seen that all effects of a stage are done. */
  stages: MissionStage[];
  /** The stages are tasks of a plan, each done by a separate agent. Absent = one agent does them all. */
  plan?: PlanShape;
  /** The stages are steps of a graph, each done by a separate agent, and each followed by a gate. */
  graph?: GraphShape;
  /** A mission at the same time, which means some of the same effects: those that both mean are done once. */
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

/** Some effects that are wanted, and the scripts of the model: again and again, until they are done. */
export interface MissionStage {
  effects: WantedEffect[];
  /** At least one; the last one is sent again as often as needed. */
  scripts: Script[];
}

/** An effect, and how often it is wanted in its stage: a loop over three days means it three times. */
export interface WantedEffect {
  tool: string;
  /** Those that make the effect. */
  args: JsonObject;
  times: number;
  /** The model changes its mind: it requests this effect in a turn that fails, and never again. */
  regretted?: true;
}

/** One program of the model. */
export interface Script {
  forms: ScriptForm[];
  end: ScriptEnd;
}

export type ScriptEnd =
  /** The program gives a value, or returns one. */
  | { kind: "succeeds" }
  /** It fails after the first `after` forms. */
  | { kind: "fails"; after: number }
  /** It returns what does not fit the signature. */
  | { kind: "returns_wrong" }
  /** The agent gives up when it has requested everything. */
  | { kind: "gives_up" };

/** A part of a program that makes calls. Every form has a value: the names of the effects that it was answered. */
export type ScriptForm =
  | { kind: "plain"; calls: EffectCall[] }
  | { kind: "task"; id: string; calls: EffectCall[]; reset?: true }
  | { kind: "parallel"; calls: EffectCall[]; tasks?: string[] }
  /** Equal effects, one after another. */
  | { kind: "loop"; style: "for" | "loop" | "map"; calls: EffectCall[] }
  | { kind: "agents"; works: Work[]; parallel: boolean };

/** What another agent does that is run as a tool: it requests its effects until it has done them. */
export interface Work {
  scripts: Script[];
}

/** A call of a program: which effect of the stage it means, and which one of equal ones. */
export interface EffectCall {
  effect: number;
  /** From 1. */
  nth: number;
  fault?: CallFault;
  /** The program continues when the call fails. */
  caught?: true;
  /** Free text that is not part of the effect. */
  words: string;
}

/**
 * - `lost_before`, `lost_after`: the answer is lost, and the service has not acted, or has.
 * - `declined`: the service refuses.
 */
export type CallFault = "lost_before" | "lost_after" | "declined";

/** The name of an effect, as the service answers it: the tool and its arguments, without the free text. */
export const effectName = ({ tool, args }: Pick<WantedEffect, "tool" | "args">): string => effectText(tool, args);

/** All calls of a form that its own agent makes, and those of the agents that it runs. */
export function callsOf(form: ScriptForm): EffectCall[] {
  return form.kind === "agents" ? form.works.flatMap(workCalls) : form.calls;
}

/** A part of a program whose answers come together: a parallel task, or a whole form. */
export interface FormPart {
  calls: EffectCall[];
  /** The task that the calls stand in. */
  task?: string;
}

export function formParts(form: ScriptForm): FormPart[] {
  if (form.kind === "task") return [{ calls: form.calls, task: form.id }];
  if (form.kind !== "parallel" || form.tasks === undefined) return [{ calls: callsOf(form) }];
  const { tasks } = form;
  return form.calls.map((call, at) => ({ calls: [call], task: tasks[at] as string }));
}

/** The work of an agent: all of its scripts request the same effects. */
export const workCalls = ({ scripts }: Work): EffectCall[] => (scripts.at(-1) as Script).forms.flatMap(callsOf);

/** A script with other calls. */
export function mapCalls({ forms, end }: Script, map: (call: EffectCall) => EffectCall): Script {
  const mapped = forms.map((form): ScriptForm => {
    if (form.kind !== "agents") return { ...form, calls: form.calls.map(map) };
    return {
      ...form,
      works: form.works.map(({ scripts }) => ({ scripts: scripts.map((one) => mapCalls(one, map)) })),
    };
  });
  return { forms: mapped, end };
}
