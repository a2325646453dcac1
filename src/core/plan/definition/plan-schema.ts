import type { JsonObject } from "../../base/json";

const text = { type: "string" };
const failures = { enum: ["stop", "skip", "retry", "replan"] };

/** The form of a plan that planners see. Other notations are accepted, too (see `parsePlan`). */
export const PLAN_SCHEMA: JsonObject = {
  type: "object",
  required: ["tasks"],
  properties: {
    agents: {
      type: "object",
      additionalProperties: {
        type: "object",
        required: ["prompt"],
        properties: { prompt: text, tools: { type: "array", items: text } },
      },
    },
    tasks: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "input"],
        properties: {
          id: text,
          agent: text,
          input: text,
          depends_on: { type: "array", items: text },
          type: { enum: ["task", "synthesis_gate", "human_review"] },
          output: { enum: ["ptc_lisp", "text", "json"] },
          signature: text,
          verification: text,
          on_verification_failure: failures,
          on_failure: { enum: [...failures.enum, "undo"] },
          max_retries: { type: "integer" },
          critical: { type: "boolean" },
          quality_gate: { type: "boolean" },
        },
      },
    },
  },
};
