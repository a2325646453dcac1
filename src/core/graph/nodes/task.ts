import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import type { NodeKind } from "./node-kind";
import { workDrawing, workFields, workKind } from "./work";

/** Work: an agent of the task does it, or the client that claims the task. */

const schema = onFirstUse(() => z.object({ type: z.literal("task"), ...workFields() }));
export type TaskNode = z.infer<ReturnType<typeof schema>>;

export const task: NodeKind<TaskNode> = {
  ...workKind,
  schema,
  begins: "nothing",
  drawing: { ...workDrawing, shape: (_node, label) => `["${label}"]`, color: () => null },
};
