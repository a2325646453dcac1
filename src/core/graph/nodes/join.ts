import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import { checkPair, pairDrawing } from "./fork-pair";
import { DEFAULT_OUTPUTS } from "./graph";
import type { NodeKind } from "./node-kind";
import { advanceCall, anyOf, unlessOver } from "./prose";
import { parts } from "./schema-parts";

/** Where a fork's branches meet: the task of a branch is over here (graph reference, section 9.1). */

const schema = onFirstUse(() =>
  z.object({
    type: z.literal("join"),
    ...parts().common,
    fork: parts().full,
    strategy: z.enum(["all-pass", "any-pass"], "must be all-pass or any-pass").optional(),
  }),
);
export type JoinNode = z.infer<ReturnType<typeof schema>>;

export const join: NodeKind<JoinNode> = {
  schema,
  codes: { fork: "fork_join_mismatch" },
  place: "step",
  edges: "result",
  work: false,
  outputs: () => undefined,
  exit: (_node, id) => id,
  check: (checked, findings) => checkPair(checked, "fork", findings),
  begins: "nothing",
  arrival: (_node, { isChild }) => ({ status: isChild ? "COMPLETED" : "PENDING" }),
  details: () => [],
  call: (_node, { task }) =>
    task.status === "COMPLETED"
      ? "This branch is complete. No call is needed: the task of the fork continues when all branches are over."
      : unlessOver(task, () => `When it is done, call ${advanceCall(task, anyOf(DEFAULT_OUTPUTS))}.`),
  terminal: () => "join",
  drawing: pairDrawing,
};
