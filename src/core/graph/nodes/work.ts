import { z } from "zod";
import { onFirstUse } from "../../base/on-first-use";
import { type AnyNode, DEFAULT_OUTPUTS, MAX_RETRIES_EXCEEDED } from "./graph";
import type { NodeKind } from "./node-kind";
import { advanceCall, anyOf, unlessOver } from "./prose";
import { parts } from "./schema-parts";

/** The common properties of tasks and gates: somebody works there and reports a result. */

const OUTPUTS_RULE = `must be a non-empty list of distinct, non-empty texts without "${MAX_RETRIES_EXCEEDED}"`;

export const workFields = onFirstUse(() => {
  const { text, full, texts, object, common, review } = parts();
  const retries = "must be a whole number, 0 or more";
  return {
    ...common,
    name: full,
    instructions: text.optional(),
    /** Free text, passed on unchanged. */
    agent: text.optional(),
    emoji: text.optional(),
    stage: text.optional(),
    /** Absent = not declared: drawings and checks use the defaults, but any result is accepted. */
    outputs: z
      .array(z.string(OUTPUTS_RULE), OUTPUTS_RULE)
      .refine(
        (list) =>
          list.length > 0 &&
          new Set(list).size === list.length &&
          list.every((output) => output.trim() !== "" && output !== MAX_RETRIES_EXCEEDED),
        OUTPUTS_RULE,
      )
      .optional(),
    maxRetries: z.int(retries).min(0, retries).optional(),
    /** When an agent's work here ends with "failed": what it did is undone before the task moves on. */
    on_failure: z.literal("undo", 'must be "undo"').optional(),
    config: object.optional(),
    /** Files to read before the step. */
    context_files: texts.optional(),
    review,
  };
});

/** A node with work to do. */
export type WorkNode = AnyNode & z.infer<z.ZodObject<ReturnType<typeof workFields>>>;

type WorkKind = Omit<NodeKind<WorkNode>, "schema" | "begins" | "drawing">;

export const workKind: WorkKind = {
  codes: { name: "name_required", maxRetries: "invalid_max_retries", outputs: "invalid_outputs" },
  place: "step",
  edges: "result",
  work: true,
  outputs: ({ outputs }) => outputs,
  exit: (_node, id) => id,
  check: () => {},
  arrival: () => ({ status: "PENDING" }),
  details: () => [],
  call: ({ outputs }, { task }) =>
    unlessOver(task, () => `When it is done, call ${advanceCall(task, anyOf(outputs ?? DEFAULT_OUTPUTS))}.`),
  terminal: () => null,
};

export const workDrawing = {
  caption: ({ emoji, agent }: WorkNode): string[] => [emoji ?? "", agent ?? ""],
  about: ({ agent }: WorkNode): string => agent ?? "",
  sign: "▶",
};
