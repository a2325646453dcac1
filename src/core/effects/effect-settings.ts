import { z } from "zod";
import { onFirstUse } from "../base/on-first-use";
import { parseSignature, SignatureError, wireName } from "../signature/parse";

/**
 * What a tool declares about its effects: which arguments make one, how far it is known, and what happens when the same
 * one, or another one, is asked for again. The same words apply in code, in the settings of MCP and OpenAPI tools and
 * in agent files.
 */
export interface EffectSettings {
  /** The arguments that make the effect; the others are free text. `false`, or absent = all arguments. */
  identity?: string[] | false;
  /**
   * Calls with the same identity under another version are other effects. Absent = a digest of name, signature, effect
   * and identity: a change of one of them then makes other effects of the same calls.
   */
  version?: string;
  /**
   * How far an effect is known. `mission`: in the mission that made it. `namespace`: in all missions, the default of an irreversible
   * tool that names its identity.
   */
  identity_scope?: IdentityScope;
  /** Every call is a new effect with its own key, also the same call again, as with a chat message. */
  repeatable?: true;
  /**
   * The same effect is asked for again. `ask` (default for irreversible): a person decides. `reuse` (default for write):
   * the recorded answer, with a warning. `fail`: the call fails. `run`: it is made again, as a new effect.
   */
  on_same_effect?: OnSameEffect;
  /**
   * Another effect is asked for under the id of a recorded task. `serve` (default): the recorded value, and the model
   * is notified. `ask`: a person decides. `fail`: the call fails. `rerun`: it is made, as a new effect.
   */
  on_other_effect?: OnOtherEffect;
}

/** What a call of a tool does to the outside: see `ToolSpec`. */
export type ToolEffect = (typeof TOOL_EFFECTS)[number];
/** How far an effect is known. */
export type IdentityScope = (typeof IDENTITY_SCOPES)[number];
/** What happens when the same effect is asked for again. */
export type OnSameEffect = (typeof ON_SAME_EFFECT)[number];
/** What happens when another effect is asked for under the id of a recorded task. */
export type OnOtherEffect = (typeof ON_OTHER_EFFECT)[number];

/** From the loosest to the strictest: an agent may make a worker's tool stricter, not laxer. */
export const TOOL_EFFECTS = ["read", "idempotent", "write", "irreversible"] as const;
/** From the narrowest to the widest: an agent may widen the scope of a worker's tool. */
export const IDENTITY_SCOPES = ["mission", "namespace"] as const;
/** From the loosest to the strictest, as above. */
export const ON_SAME_EFFECT = ["run", "reuse", "fail", "ask"] as const;
/** From the loosest to the strictest, as above. */
export const ON_OTHER_EFFECT = ["rerun", "serve", "fail", "ask"] as const;

/** "a, b or c", for messages. */
export const TOOL_EFFECT_WORDS = TOOL_EFFECTS.join(", ").replace(/, (\w+)$/, " or $1");

const oneOf = (words: readonly string[]): string => `must be ${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;

/** The fields of the schema of whatever has these settings. */
export const effectSettings = onFirstUse(() => {
  const name = z.string("must be a text").min(1, "must not be empty");
  return {
    identity: z
      .union([z.array(name), z.literal(false)], "must be a list of argument names, or false for all of them")
      .optional(),
    version: name.optional(),
    identity_scope: z.enum(IDENTITY_SCOPES, oneOf(IDENTITY_SCOPES)).optional(),
    repeatable: z.literal(true, "must be true").optional(),
    on_same_effect: z.enum(ON_SAME_EFFECT, oneOf(ON_SAME_EFFECT)).optional(),
    on_other_effect: z.enum(ON_OTHER_EFFECT, oneOf(ON_OTHER_EFFECT)).optional(),
  };
});

/** What happens when the same effect is asked for again, with the default of the tool's effect. */
export function onSameEffect(tool: EffectSettings & { effect: string }): OnSameEffect {
  return tool.on_same_effect ?? (tool.repeatable ? "run" : tool.effect === "irreversible" ? "ask" : "reuse");
}

/** What happens when another effect is asked for under the id of a recorded task. */
export const onOtherEffect = ({ on_other_effect = "serve" }: EffectSettings): OnOtherEffect => on_other_effect;

/** The part of a tool's spec by which equal effects are found. */
type IdentifiedTool = Pick<EffectSettings, "identity" | "identity_scope" | "repeatable"> & { effect: ToolEffect };

/**
 * The scope of a tool that sets none; undefined: its mission. A payment that names what makes it is the same payment in all missions.
 */
export const scopeOf = ({ effect, identity, identity_scope, repeatable }: IdentifiedTool): IdentityScope | undefined =>
  identity_scope ?? (effect === "irreversible" && Array.isArray(identity) && !repeatable ? "namespace" : undefined);

/** Nothing but equal arguments shows that two irreversible calls of the tool are one effect, and its author has not decided so. */
export const lacksIdentity = ({ effect, identity, repeatable }: IdentifiedTool): boolean =>
  effect === "irreversible" && identity === undefined && repeatable !== true;

/** What its author can do about it. */
export const IDENTITY_ADVICE =
  "it is irreversible and names no identity: a call in other words is another effect, and people are asked about it. Set `identity` to the arguments that make the effect, or to false for all of them";

/** Why these arguments cannot be the identity of a tool with this signature; undefined if they can. */
export function identityProblem(identity: readonly string[], signature: string | undefined): string | undefined {
  if (identity.length === 0) return "names no argument: every call would be the same effect";
  const twice = identity.find((name, i) => identity.findIndex((other) => wireName(other) === wireName(name)) < i);
  if (twice !== undefined) return `names ${twice} twice`;
  const parameters = signature === undefined ? [] : parametersOf(signature);
  if (parameters.length === 0) return undefined;
  const known = parameters.map(wireName);
  const unknown = identity.filter((name) => !known.includes(wireName(name)));
  if (unknown.length === 0) return undefined;
  return `names ${unknown.join(", ")}, which the signature does not have; it has ${parameters.join(", ")}`;
}

/** A signature that cannot be read is reported elsewhere. */
function parametersOf(signature: string): string[] {
  try {
    return parseSignature(signature).parameters.map(({ name }) => name);
  } catch (error) {
    if (error instanceof SignatureError) return [];
    throw error;
  }
}
