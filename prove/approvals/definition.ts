import { defineProof } from "../frame/proof";
import { APPROVAL_SIZES } from "./sizes";

/** `navigator prove approvals`. */
export const approvalsProof = defineProof({
  name: "approvals",
  promise: "the calls that run are those that were approved, by the people who approved them",
  sizes: APPROVAL_SIZES,
  needsServer: ({ n, calls, races, processes }) => n + calls + races + processes > 0,
  exercised: ({ n, calls, races, processes, exports, sound }) => [
    ...(n > 0 ? ["refused_updates", "refused_signals"] : []),
    ...(calls > 0 ? ["refused_calls"] : []),
    ...(races > 0 ? ["racing_votes"] : []),
    ...(processes > 0 ? ["refused_by_cli", "refused_by_mcp_stdio", "refused_by_mcp_http"] : []),
    ...(n + calls + processes > 0 ? ["controls", "charges"] : []),
    ...(exports > 0 ? ["damages_found"] : []),
    ...(sound > 0 ? ["sound_exports"] : []),
  ],
  load: async () => (await import("./prove-approvals")).proveApprovals(),
});
