import { defineProof } from "../frame/proof";
import { EFFECTS_SIZES } from "./sizes";

/** `navigator prove effects`. */
export const effectsProof = defineProof({
  name: "effects",
  promise: "no deed twice, none lost, none served for another",
  sizes: EFFECTS_SIZES,
  needsServer: () => false,
  exercised: ({ missions, cross, kills, undo }) => [
    "deeds_intended",
    "deeds_done",
    "failed_turns",
    "lost_answers",
    "lookups",
    "reviews_asked",
    "conflicts",
    "agents_run",
    ...(missions > 0 ? [cross > 0 ? "cross_deeds" : "plans"] : []),
    ...(kills + undo > 0 ? ["worker_kills"] : []),
    ...(undo > 0 ? ["deeds_undone", "deeds_announced_to_remain"] : []),
  ],
  load: async () => (await import("./prove-effects")).proveEffects(),
});
