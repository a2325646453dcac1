import type { UndoPlan } from "../../src/core/effects/undo/undo-plan";
import type { EffectService } from "./effect-service";
import type { EffectFault } from "./judge";

/** What remains of a mission after it was undone: nothing, or exactly what was announced. */
export function judgeUndo(
  mission: string,
  service: EffectService,
  { announced, failed }: { announced: Pick<UndoPlan, "steps" | "remaining">; failed: string | null },
): EffectFault[] {
  const faults: EffectFault[] = [];
  const note = (text: string) => faults.push({ kind: "undo", text });
  if (failed !== null) note(`The undo did not end well: ${failed}`);
  const steps = new Set(announced.steps.map(({ key }) => key));
  const remaining = new Set(announced.remaining.map(({ key }) => key));
  for (const { key, effect, undone } of service.actsOfMission(mission)) {
    if (undone && !steps.has(key)) note(`"${effect}" was undone, which was not announced: ${key}.`);
    if (!undone && steps.has(key)) note(`"${effect}" was announced to be undone, and remains: ${key}.`);
    if (!undone && !steps.has(key) && !remaining.has(key)) note(`"${effect}" remains, which nobody announced: ${key}.`);
  }
  const done = new Set(service.actsOfMission(mission).map(({ key }) => key));
  for (const { key, tool, obstacle } of announced.remaining)
    if (obstacle === "no_undo" && !done.has(key))
      note(`What tool/${tool} did was announced to remain, and was never done: ${key}.`);
  for (const key of service.vainUndos)
    if (steps.has(key)) note(`The service was asked to undo what was not there any more: ${key}.`);
  return faults;
}
