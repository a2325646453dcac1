import { z } from "zod";
import type { Failure } from "../failure";
import { failed, ok, type Result } from "../failure";
import type { Json, JsonObject } from "../json";

/** One kind of review everywhere a person is asked (design section 6). Times in ms since 1970. */
export interface Review {
  id: string;
  source: "gate" | "plan" | "tool" | "escalation" | "question";
  title: string;
  body: string;
  data: JsonObject;
  choices: string[];
  createdAt: number;
  expiresAt?: number;
  assignees?: string[];
  /** `withdrawn`: what it asked was answered another way. */
  status: "open" | "decided" | "withdrawn";
  decision?: RecordedDecision;
  closedAt?: number;
  /** What each choice does, for the workflow that asked. */
  moves: { [choice: string]: ReviewMove };
}

export type ReviewMove = { kind: "result"; result: string } | { kind: "send_to"; step: string } | { kind: "close" };

export interface Decision {
  /** Id of the review. */
  review: string;
  choice: string;
  value?: Json;
  by: string;
  note?: string;
}

export interface RecordedDecision extends Decision {
  at: number;
}

const DecisionSchema = z.object({
  review: z.string().min(1),
  choice: z.string().min(1),
  value: z.json().optional(),
  by: z.string().min(1),
  note: z.string().optional(),
});

/** For boundaries: anything as a decision, or what is wrong with it. */
export function parseDecision(raw: unknown): Result<Decision> {
  const parsed = DecisionSchema.safeParse(raw);
  if (parsed.success) return ok(parsed.data as Decision);
  const problems = parsed.error.issues.map((issue) => `${issue.path.join(".") || "decision"}: ${issue.message}`);
  return failed("invalid_decision", `A decision is {review, choice, by, note?, value?}: ${problems.join("; ")}`);
}
