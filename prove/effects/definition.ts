import { defineProof } from "../frame/proof";
import { EFFECTS_SIZES } from "./sizes";

/** What happens in missions, whatever their tools are. */
const RUN = ["effects_intended", "effects_done", "failed_turns", "lost_answers", "agents_run"];

/** `navigator prove effects`. */
export const effectsProof = defineProof({
  name: "effects",
  promise: "no effect twice, none lost, none served for another",
  sizes: EFFECTS_SIZES,
  needsServer: () => false,
  // What else happens depends on the tools: a project may have none with a lookup, or none that asks.
  exercised: ({ missions, cross, kills, undo }, project) => [
    ...(project?.calls === undefined ? [] : ["contract_checks"]),
    ...(missions + kills + undo === 0 && project?.calls !== undefined ? [] : RUN),
    ...(project !== null ? [] : ["lookups", "reviews_asked", "conflicts"]),
    ...(missions > 0 ? [cross > 0 ? "cross_effects" : "plans"] : []),
    ...(kills + undo > 0 ? ["worker_kills"] : []),
    ...(undo > 0 && project === null ? ["effects_undone", "effects_announced_to_remain"] : []),
  ],
  onProject: true,
  load: async () => (await import("./prove-effects")).proveEffects(),
});
