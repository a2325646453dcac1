import { z } from "zod";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";
import { termsSchema } from "../../review/policy/terms";

/** Parts of the schemas of several node types. */
export const parts = onFirstUse(() => {
  const text = z.string("must be a text");
  const full = z.string("must be a non-empty text").refine((s) => s.trim() !== "", "must be a non-empty text");
  // Not `z.record`: it leaves out a key called `__proto__`.
  const object = z.custom<JsonObject>(isObject, "must be an object");
  return {
    text,
    full,
    texts: z.array(text, "must be a list of texts"),
    object,
    mapOfTexts: z.custom<{ [name: string]: string }>(
      (value) => isObject(value) && Object.values(value).every((item) => typeof item === "string"),
      "must be an object whose values are texts",
    ),
    /** Properties that every node may have. */
    common: { name: text.optional(), description: text.optional(), metadata: object.optional() },
    /** Who decides, and by when (approvals reference, section 5). Our own. */
    review: termsSchema(full)
      .refine(
        ({ timeout_ms, on_timeout }) => (timeout_ms === undefined) === (on_timeout === undefined),
        "must have timeout_ms and on_timeout together",
      )
      .optional(),
  };
});
