import { isObject } from "../../../src/core/base/is-object";
import type { Json, JsonObject } from "../../../src/core/base/json";
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
  /** `edit`: the value names the arguments that change. `value`: it is all that is filled in. `answer`: it is the one field. */
  kind: "edit" | "value" | "answer";
}

const ANSWER = "answer";

/** The form of a review; null if its choices take no value. */
export function reviewForm({ editable, answers, data }: Review): ReviewForm | null {
  if (answers !== undefined) {
    const field = { name: ANSWER, type: outputOf(answers.signature) };
    return { choice: answers.choice, fields: [field], given: {}, kind: "answer" };
  }
  if (editable === undefined) return null;
  const { choice, parameters } = editable;
  if (isObject(data.args)) {
    const given = data.args as JsonObject;
    const known = parametersOf(`(${parameters}) -> :any`);
    return { choice, fields: known.length > 0 ? known : Object.keys(given).map(anyField), given, kind: "edit" };
  }
  const given = isObject(data.next_call) ? (data.next_call as JsonObject) : {};
  return { choice, fields: parametersOf(`(${parameters}) -> :any`), given, kind: "value" };
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
