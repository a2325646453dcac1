import {
  type CallFault,
  type DeedCall,
  deedName,
  type EffectMission,
  type MissionStage,
  type Telling,
} from "./mission";
import { memoOf, type ProgramPlace, type ToldPlace } from "./told-place";

/** What goes wrong at the calls of a mission, by `faultKey`. */
export type Faults = ReadonlyMap<string, CallFault>;

export const faultKey = (deed: string, place: ToldPlace): string => `${deed} ${memoOf(place, "")}`;

export function faultsOf({ stages }: EffectMission): Faults {
  const faults = new Map<string, CallFault>();
  const note = (stage: MissionStage, call: DeedCall, place: ProgramPlace) => {
    if (call.fault === undefined) return;
    const deed = deedName(stage.deeds[call.deed] as MissionStage["deeds"][number]);
    faults.set(faultKey(deed, { ...place, nth: call.nth }), call.fault);
  };
  const noteAll = (stage: MissionStage, { forms }: Telling, place: ProgramPlace) => {
    for (const [index, form] of forms.entries()) {
      if (form.kind !== "agents") for (const call of form.calls) note(stage, call, place);
      else
        for (const [number, { tellings }] of form.works.entries())
          for (const [attempt, telling] of tellings.entries())
            noteAll(stage, telling, { ...place, work: workNumber(index, number), attempt });
    }
  };
  for (const [number, stage] of stages.entries())
    for (const [telling, one] of stage.tellings.entries())
      noteAll(stage, one, { stage: number, telling, work: 0, attempt: 0 });
  return faults;
}

/** The number of an agent in a program, from the places of its form and of its work in that form. */
export const workNumber = (form: number, work: number): number => form * 100 + work + 1;
