import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import type { NodeKind } from "./node-kind";
import { unlessOver } from "./prose";
import { parts } from "./schema-parts";

/** Where a task begins; exactly one. It takes any result, or none. */

const schema = onFirstUse(() => z.object({ type: z.literal("start"), ...parts().common }));
export type StartNode = z.infer<ReturnType<typeof schema>>;

export const start: NodeKind<StartNode> = {
  schema,
  codes: {},
  place: "start",
  edges: "any",
  work: false,
  outputs: () => undefined,
  exit: (_node, id) => id,
  check: () => {},
  begins: "move",
  arrival: () => ({ status: "PENDING" }),
  details: () => [],
  call: (_node, { task }) => unlessOver(task, () => `To begin, call start with taskId "${task.id}".`),
  terminal: () => "start",
  drawing: {
    shape: (_node, label) => `(("${label}"))`,
    color: () => "start",
    caption: () => [],
    about: () => "",
    sign: "▶",
  },
};
