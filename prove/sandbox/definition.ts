import { defineProof } from "../frame/proof";
import { SANDBOX_SIZES } from "./sizes";

/** `navigator prove sandbox`. */
export const sandboxProof = defineProof({
  name: "sandbox",
  promise: "no program gets out, hangs or differs on replay",
  sizes: SANDBOX_SIZES,
  needsServer: () => false,
  exercised: () => ["programs", "values", "failures", "tool_calls"],
  load: async () => (await import("./prove-sandbox")).proveSandbox(),
});
