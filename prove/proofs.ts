import { approvalsProof } from "./approvals/definition";
import { crashProof } from "./crash/definition";
import { effectsProof } from "./effects/definition";
import type { ProofDefinition } from "./frame/proof";
import { historyProof } from "./history/definition";
import { inboxProof } from "./inbox/definition";
import { sandboxProof } from "./sandbox/definition";
import { streamProof } from "./stream/definition";

/** Every proof of the package, in the order of docs/prove.md. Each has a separate command, and `all` runs each. */
export const PROOFS: readonly ProofDefinition[] = [
  effectsProof,
  approvalsProof,
  inboxProof,
  sandboxProof,
  historyProof,
  streamProof,
  crashProof,
];
