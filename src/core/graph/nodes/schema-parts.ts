import { z } from "zod";
import { isObject } from "../../base/is-object";
import type { JsonObject } from "../../base/json";
import { onFirstUse } from "../../base/on-first-use";

/** Parts of the schemas of several node types. */
export const parts = onFirstUse(() => {
  const text = z.string("must be a text");
  const full = z.string("must be a non-empty text").refine((s) => s.trim() !== "", "must be a non-empty text");
  const count = (rule: string) => z.int(rule).positive(rule);
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
    /** The assignees, the time limit, and the choice that is taken when nobody decides. Our own. */
    review: z
      .strictObject(
        {
          assignees: z
            .array(full, "assignees must be a list of names")
            .min(1, "assignees must name somebody")
            .optional(),
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
      )
      .optional(),
  };
});
