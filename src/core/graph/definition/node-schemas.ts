import { z } from "zod";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { END_RESULTS, ESCALATIONS, MAX_RETRIES_EXCEEDED } from "./schema";

/**
 * What nodes and edges may say (graph reference, section 1). Messages complete the sentence
 * `Node "x": <property> ...`; which code a wrong property has is in `shape.ts`.
 */

const text = z.string("must be a text");
const full = z.string("must be a non-empty text").refine((s) => s.trim() !== "", "must be a non-empty text");
const texts = z.array(text, "must be a list of texts");
// Not `z.record`: it leaves out a key called `__proto__`.
const object = z.custom<JsonObject>(isObject, "must be an object");
const mapOfTexts = z.custom<{ [name: string]: string }>(
  (value) => isObject(value) && Object.values(value).every((item) => typeof item === "string"),
  "must be an object whose values are texts",
);

const OUTPUTS_RULE = `must be a non-empty list of distinct, non-empty texts without "${MAX_RETRIES_EXCEEDED}"`;
const outputs = z
  .array(z.string(OUTPUTS_RULE), OUTPUTS_RULE)
  .refine(
    (list) =>
      list.length > 0 &&
      new Set(list).size === list.length &&
      list.every((output) => output.trim() !== "" && output !== MAX_RETRIES_EXCEEDED),
    OUTPUTS_RULE,
  );

const count = (rule: string) => z.int(rule).positive(rule);
const asked = z
  .strictObject(
    {
      assignees: z.array(full, "assignees must be a list of names").min(1, "assignees must name somebody").optional(),
      quorum: count("quorum must be a whole number, 1 or more").optional(),
      timeout_ms: count("timeout_ms must be milliseconds").optional(),
      on_timeout: full.optional(),
      remind_ms: count("remind_ms must be milliseconds").optional(),
    },
    "must be an object of assignees, quorum, timeout_ms, on_timeout, remind_ms",
  )
  .refine(
    ({ timeout_ms, on_timeout }) => (timeout_ms === undefined) === (on_timeout === undefined),
    "must have timeout_ms and on_timeout together",
  )
  .refine(
    ({ quorum = 1, assignees }) => assignees === undefined || quorum <= assignees.length,
    "must not ask for more people than it names",
  );

const optional = { name: text.optional(), description: text.optional(), metadata: object.optional() };
const work = {
  ...optional,
  name: full,
  instructions: text.optional(),
  /** Free text, handed on exactly as written. */
  agent: text.optional(),
  emoji: text.optional(),
  stage: text.optional(),
  /** Absent = not declared: the defaults count for drawing and checks, but results are not held to them. */
  outputs: outputs.optional(),
  maxRetries: z.int("must be a whole number, 0 or more").min(0, "must be a whole number, 0 or more").optional(),
  config: object.optional(),
  /** Paths to read before the step. */
  context_files: texts.optional(),
  /** Who is asked here, for how long, and what is taken when nobody decides: a choice of the review. Our own. */
  review: asked.optional(),
};

const StartNode = z.object({ type: z.literal("start"), ...optional });
const EndNode = z.object({
  type: z.literal("end"),
  ...optional,
  result: z.enum(END_RESULTS, `must be one of ${END_RESULTS.join(", ")}`),
  escalation: z.enum(ESCALATIONS, `must be one of ${ESCALATIONS.join(", ")}`).optional(),
  review: asked.optional(),
});
const TaskNode = z.object({ type: z.literal("task"), ...work });
const GateNode = z.object({ type: z.literal("gate"), ...work });
const SubflowNode = z.object({
  type: z.literal("subflow"),
  ...optional,
  workflow: full,
  inputs: mapOfTexts.optional(),
});
const ForkNode = z.object({
  type: z.literal("fork"),
  ...optional,
  join: full,
  maxConcurrency: z.int("must be a whole number, 1 or more").min(1, "must be a whole number, 1 or more").optional(),
  /** The older way to write branches; must agree with the fork's edges. */
  branches: z
    .custom<{ [name: string]: { entryStep: string; description?: string } }>(
      (value) =>
        isObject(value) &&
        Object.values(value).every((branch) => isObject(branch) && typeof branch.entryStep === "string"),
      "must be an object of branches, each with an entryStep",
    )
    .optional(),
});
const JoinNode = z.object({
  type: z.literal("join"),
  ...optional,
  fork: full,
  strategy: z.enum(["all-pass", "any-pass"], "must be all-pass or any-pass").optional(),
});

/** Node type -> its schema. */
export const NODE_SCHEMAS = {
  start: StartNode,
  end: EndNode,
  task: TaskNode,
  gate: GateNode,
  subflow: SubflowNode,
  fork: ForkNode,
  join: JoinNode,
} as const;
export type NodeType = keyof typeof NODE_SCHEMAS;

export const Node = z.discriminatedUnion("type", [
  StartNode,
  EndNode,
  TaskNode,
  GateNode,
  SubflowNode,
  ForkNode,
  JoinNode,
]);
export type Node = z.infer<typeof Node>;

export const Edge = z.object({
  from: text,
  to: text,
  /** The result that takes this edge; absent = unconditional. */
  on: full.optional(),
  label: text.optional(),
  /** Stored and shown, never evaluated. */
  condition: z.unknown().optional(),
});
export type Edge = z.infer<typeof Edge>;
