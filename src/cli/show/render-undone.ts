import type { EffectUndone } from "../../core/history/trace/undone-effects";
import { renderTime } from "../terminal/render";

/** When an effect was undone, who asked for it, and by which undo. */
export function whenUndoneText({ at, by, because, undo }: EffectUndone): string {
  return [
    `undone ${renderTime(at)} UTC`,
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(because === undefined ? [] : [because]),
    ...(undo === undefined ? [] : [undo]),
  ].join(", ");
}
