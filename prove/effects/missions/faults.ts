import { type CallPlace, memoOf, type ProgramPlace } from "./call-place";
import {
  type CallFault,
  type EffectCall,
  type EffectMission,
  effectName,
  type MissionStage,
  type Script,
} from "./mission";

/** What goes wrong at the calls of a mission, by `faultKey`. */
export type Faults = ReadonlyMap<string, CallFault>;

export const faultKey = (effect: string, place: CallPlace): string => `${effect} ${memoOf(place, "")}`;

export function faultsOf({ stages }: EffectMission): Faults {
  const faults = new Map<string, CallFault>();
  const note = (stage: MissionStage, call: EffectCall, place: ProgramPlace) => {
    if (call.fault === undefined) return;
    const effect = effectName(stage.effects[call.effect] as MissionStage["effects"][number]);
    faults.set(faultKey(effect, { ...place, nth: call.nth }), call.fault);
  };
  const noteAll = (stage: MissionStage, { forms }: Script, place: ProgramPlace) => {
    for (const [index, form] of forms.entries()) {
      if (form.kind !== "agents") for (const call of form.calls) note(stage, call, place);
      else
        for (const [number, { scripts }] of form.works.entries())
          for (const [attempt, script] of scripts.entries())
            noteAll(stage, script, { ...place, work: workNumber(index, number), attempt });
    }
  };
  for (const [number, stage] of stages.entries())
    for (const [script, one] of stage.scripts.entries())
      noteAll(stage, one, { stage: number, script, work: 0, attempt: 0 });
  return faults;
}

/** The number of an agent in a program, from the places of its form and of its work in that form. */
export const workNumber = (form: number, work: number): number => form * 100 + work + 1;
