import { z } from "zod";
import { defined } from "../core/base/defined";
import type { Json } from "../core/base/json";
import { onFirstUse } from "../core/base/on-first-use";
import type { EffectLookup } from "../core/calls/host";
import {
  type EffectSettings,
  effectSettings,
  type IdentityScope,
  identityProblem,
  type OnOtherEffect,
  type OnSameEffect,
  scopeOf,
  type ToolEffect,
} from "../core/effects/effect-settings";

/** What a tool declares about its effects, in code and in the settings of MCP and OpenAPI tools. */
export interface EffectOptions {
  /**
   * The arguments that make the effect; the others are free text, such as a memo. Calls with the same identity have the
   * same effect, whatever the rest is. `false`: all arguments make it. An irreversible tool without it gives a warning, and asks
   * about a call that differs from an earlier one in texts alone.
   */
  identity?: readonly string[] | false | undefined;
  /**
   * Calls under another version are other effects. Default: a digest of name, signature, effect and identity. Set it to
   * keep effects known through a change of one of them.
   */
  version?: string | undefined;
  /**
   * How far an effect is known: `mission` or, in all missions of the project, `namespace`. Default: `namespace` for an irreversible
   * tool with an `identity`, else `mission`.
   */
  identityScope?: IdentityScope | undefined;
  /** Every call is a new effect with its own key, also the same call again, as with a chat message. */
  repeatable?: boolean | undefined;
  /**
   * The same effect is asked for again. `ask` (default for `irreversible`): a person decides. `reuse` (default for
   * `write`): the recorded answer, with a warning. `fail`: the call fails. `run`: it is made again, as a new effect.
   */
  onSameEffect?: OnSameEffect | undefined;
  /**
   * Another effect is asked for under the id of a recorded task. `serve` (default): the recorded value, and the model
   * is notified. `ask`: a person decides. `fail`: the call fails. `rerun`: it is made, as a new effect.
   */
  onOtherEffect?: OnOtherEffect | undefined;
}

/** The schema of `EffectOptions`. */
export const effectOptions = onFirstUse(() => {
  const { identity, version, identity_scope, on_same_effect, on_other_effect } = effectSettings();
  return {
    identity,
    version,
    identityScope: identity_scope,
    repeatable: z.boolean("must be true or false").optional(),
    onSameEffect: on_same_effect,
    onOtherEffect: on_other_effect,
  };
});

type Wrong = (problem: string) => Error;

/**
 * The part of a tool's spec that is about its effects.
 *
 * @throws what `wrong` makes: a setting that cannot be used, an identity without arguments or with one that the
 *   signature does not have, a tool that repeats every call and also sets what happens to a repeated one, or how far it
 *   is known
 */
export function effectSettingsOf(
  options: EffectOptions,
  { effect, signature }: { effect: ToolEffect; signature?: string | undefined },
  wrong: Wrong,
): EffectSettings {
  const read = z.object(effectOptions()).safeParse(options);
  if (!read.success) {
    const [{ path, message }] = read.error.issues as [z.core.$ZodIssue];
    throw wrong(`${path.join(".")} ${message}.`);
  }
  const { identity, version, identityScope, repeatable, onSameEffect, onOtherEffect } = read.data;
  const problem = identity ? identityProblem(identity, signature) : undefined;
  if (problem !== undefined) throw wrong(`identity ${problem}.`);
  if (repeatable && onSameEffect !== undefined)
    throw wrong("repeatable makes every call a new effect, so onSameEffect has no use: give one of them.");
  if (repeatable && identityScope === "namespace")
    throw wrong("repeatable makes every call a new effect, so identityScope namespace has no use: give one of them.");
  return defined({
    identity,
    version,
    identity_scope: scopeOf(
      defined({ effect, identity, identity_scope: identityScope, repeatable: repeatable || undefined }),
    ),
    repeatable: repeatable ? (true as const) : undefined,
    on_same_effect: onSameEffect,
    on_other_effect: onOtherEffect,
  });
}

/** The answer of a `lookup`: the effect has happened, and the call would have answered `value`. */
export const found = <T>(value: T): EffectLookup<T> => ({ state: "found", value });

/** The answer of a `lookup`: the effect has not happened, and will not happen any more by an earlier call. */
export const absent: EffectLookup<never> = Object.freeze({ state: "absent" });

/** The answer of a `lookup` that does not know whether the effect has happened: a person is asked. */
export const unknown: EffectLookup<never> = Object.freeze({ state: "unknown" });

/** Whether a value is what a `lookup` may answer. */
export const isLookup = (value: unknown): value is EffectLookup<Json> =>
  typeof value === "object" && value !== null && STATES.includes((value as { state?: unknown }).state);

const STATES: unknown[] = ["found", "absent", "unknown"] satisfies EffectLookup["state"][];
