import { defineProof } from "../frame/proof";
import { CRASH_SIZES } from "./sizes";

/** `navigator prove crash`. It starts a separate server, because it kills it. */
export const crashProof = defineProof({
  name: "crash",
  promise: "killed at any history event (worker, server, MCP process), the end is the same",
  sizes: CRASH_SIZES,
  needsServer: () => false,
  exercised: ({ victims }) => ["effects", ...victims.map((victim) => `${victim}_kills`)],
  load: async () => (await import("./prove-crash")).proveCrash(),
});
