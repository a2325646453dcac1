import { z } from "zod";
import { durationMs } from "../core/base/duration";
import { TOOL_EFFECT_WORDS, TOOL_EFFECTS } from "../core/effects/effect-settings";
import { effectOptions } from "./effect-options";

/** The settings that all tool sources have. */

const text = (expected: string) => z.string(expected).min(1, expected);

/** A map of name to text. */
export const TextMap = z.record(z.string().min(1), z.string("must be a text"), "must be a map of name to text");

/** A list of at least one name. */
export const NameList = z.array(text("must be a name"), "must be a list of names").min(1, "must name one at least");

/** Milliseconds. */
const Timeout = z.unknown().transform((value, context) => {
  const ms = durationMs(value);
  if (ms === undefined) context.addIssue({ code: "custom", message: 'must be milliseconds or a text such as "30s"' });
  return ms ?? z.NEVER;
});

/** A tool's effect, and what else is to be known of it. */
const SourceEffect = z.strictObject(
  { effect: z.enum(TOOL_EFFECTS, `must be ${TOOL_EFFECT_WORDS}`).optional(), ...effectOptions() },
  `must be ${TOOL_EFFECT_WORDS}, or a map of effect, identity, version, identityScope, repeatable, onSameEffect, onOtherEffect`,
);
export type SourceEffect = z.output<typeof SourceEffect>;

/** The settings that every source of tools has. */
export const COMMON_SETTINGS = {
  /** Text before the name of each tool; by default the source's name and `_`. */
  prefix: z
    .string("must be a text")
    .regex(/^([A-Za-z_][A-Za-z0-9_-]*)?$/, "must be letters, digits, _ and -, not beginning with a digit; or empty")
    .optional(),
  /** By the tool's name in the source: its effect, or a map with its identity and more. */
  effects: z
    .record(
      z.string().min(1),
      z.preprocess((value, context) => {
        if (typeof value !== "string") return value;
        if (TOOL_EFFECTS.some((effect) => effect === value)) return { effect: value };
        context.addIssue({ code: "custom", message: `must be ${TOOL_EFFECT_WORDS}` });
        return z.NEVER;
      }, SourceEffect),
      "must be a map of tool to effect",
    )
    .default({}),
  /** Time limit of one call, in milliseconds. */
  timeout: Timeout.optional(),
};

/** Sources by name: the name is a part of their tools' names. */
export const sourcesByName = <T extends z.ZodType>(settings: T) =>
  z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9_-]*$/, "a name is letters, digits, _ and -, beginning with a letter"),
      settings,
      "must be a map of name to settings",
    )
    .default({} as never);
