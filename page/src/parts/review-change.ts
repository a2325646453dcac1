import type { Json, JsonObject } from "../../../src/core/base/json";
import { reviewKind } from "../../../src/core/review/kinds";
import type { ValueForm } from "../../../src/core/review/kinds/review-kind";
import type { Review } from "../../../src/core/review/review-schema";
import { type Field, parseSignature } from "../../../src/core/signature/parse";
import { isChanged, parametersOf } from "./arguments-draft";

/** What a person may give with a choice of a review: changed arguments of a call, an amount, or an answer. */
export interface ReviewForm {
  /** The choice that takes what is filled in. */
  choice: string;
  fields: Field[];
  /** What the form begins with. */
  given: JsonObject;
  kind: ValueForm["value"];
}

const ANSWER = "answer";

/** The form of a review; null if its choices take no value. */
export function reviewForm(review: Review): ReviewForm | null {
  const { editable, answers, data } = review;
  const { form } = reviewKind(review).drawing;
  if (form === undefined) return null;
  const { value: kind } = form;
  const given = form.given(data);
  if (kind === "answer")
    return answers === undefined
      ? null
      : { choice: answers.choice, fields: [{ name: ANSWER, type: outputOf(answers.signature) }], given, kind };
  if (editable === undefined) return null;
  const known = parametersOf(`(${editable.parameters}) -> :any`);
  const fields = known.length > 0 ? known : Object.keys(given).map(anyField);
  return { choice: editable.choice, fields, given, kind };
}

const anyField = (name: string): Field => ({ name, type: { kind: "primitive", name: "any", optional: true } });

function outputOf(signature: string): Field["type"] {
  try {
    return parseSignature(signature).output;
  } catch {
    return { kind: "primitive", name: "any", optional: false };
  }
}

/** The value that a decision has for what is filled in; undefined = nothing was changed. */
export function valueOfForm({ kind, fields, given }: ReviewForm, filled: JsonObject): Json | undefined {
  if (kind === "answer") return filled[ANSWER];
  if (kind === "value") return filled;
  const changes: JsonObject = {};
  for (const { name } of fields) {
    if (isChanged(given[name], filled[name])) changes[name] = filled[name] ?? null;
  }
  return Object.keys(changes).length === 0 ? undefined : changes;
}
