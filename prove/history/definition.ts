import { defineProof } from "../frame/proof";
import { HISTORY_SIZES } from "./sizes";

/** `navigator prove history`. */
export const historyProof = defineProof({
  name: "history",
  promise: "history grows with new text only",
  sizes: HISTORY_SIZES,
  needsServer: () => true,
  exercised: () => ["missions", "model_calls", "events", "new_text_bytes"],
  load: async () => (await import("./prove-history")).proveHistory(),
});
