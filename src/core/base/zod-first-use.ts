import { z } from "zod";

/**
 * All workflows of a worker share one copy of the code, which is frozen once it is loaded; separate copies would take
 * more memory than everything else in a workflow. Zod initialises some state on first use (its language above all), so
 * it is used here once, before the code is frozen.
 */
const Sample = z.object(
  {
    text: z.string("wrong").min(1, "wrong"),
    flag: z.boolean("wrong").optional(),
    value: z.custom((value) => value !== undefined, "wrong").optional(),
    refined: z.custom().superRefine((value, context) => {
      if (value !== undefined) context.addIssue({ code: "custom", message: "wrong" });
    }),
  },
  "wrong",
);

/**
 * Whether examples of a valid value, of every kind of mistake, and of no value are valid. It is not used. The errors are made and not kept:
 * freezing one would write its stack, and read the whole source map for it.
 */
export const firstUse = [{ text: "a" }, { text: "", flag: 1, value: 2, refined: 3 }, null].map(
  (value) => Sample.safeParse(value).error === undefined,
);
