import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import type { NodeKind } from "./node-kind";
import { workDrawing, workFields, workKind } from "./work";

/** A checkpoint. Without an agent of the task a person decides it; an orchestrator may still advance it. */

const schema = onFirstUse(() => z.object({ type: z.literal("gate"), ...workFields() }));
export type GateNode = z.infer<ReturnType<typeof schema>>;

export const gate: NodeKind<GateNode> = {
  ...workKind,
  schema,
  begins: "gateReview",
  drawing: { ...workDrawing, shape: (_node, label) => `{"${label}"}`, color: () => "gate" },
};
