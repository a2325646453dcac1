import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import type { Json, JsonObject } from "../../base/json";
import { type ReviewRequest, reviewRequest } from "../../review/kinds";
import type { FinalDecision } from "../../review/request";

/** The builtin tool `ask-person`: a question to people from inside a program; it waits as long as they take. */
export const ASK_PERSON = {
  kind: "ask-person" as const,
  spec: {
    name: "ask-person",
    effect: "write" as const,
    signature:
      "(question :string, choices :any?, details :any?) -> {choice :string, value :any, by :string, note :string?}",
    description: "Asks a person and waits for the answer, for days if need be; choices default to yes and no",
  },
};

/** The review that a call of `ask-person` opens. Reason `tool_error` when its arguments are wrong. */
export function questionRequest(args: JsonObject): Result<ReviewRequest> {
  const { question, choices = ["yes", "no"], details } = args;
  if (typeof question !== "string" || question.trim() === "") return refused("needs :question, a non-empty text");
  if (!isTexts(choices)) return refused(":choices must be a list of different texts");
  return ok(reviewRequest("question", { question, choices, ...defined({ details }) }));
}

function isTexts(value: Json): value is string[] {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every((item) => typeof item === "string" && item !== "") && new Set(value).size === value.length;
}

/** The result of `ask-person` that the program gets: the choice, the value, who decided, and the note. */
export const personsAnswer = ({ choice, value, by, note }: FinalDecision): Json => ({
  choice,
  value: value ?? null,
  by,
  note: note ?? null,
});

const refused = (message: string): Result<never> =>
  failed("tool_error", `ask-person ${message}`, { tool: ASK_PERSON.spec.name });
