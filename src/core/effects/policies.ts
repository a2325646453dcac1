import { defined } from "../base/defined";
import type { EffectSpec } from "./effect-id";
import { ON_OTHER_EFFECT, type OnOtherEffect, type OnSameEffect, onSameEffect } from "./effect-settings";

/** What becomes of a call whose effect is in the ledger (effects reference, section 5). */

type Policies = Pick<EffectSpec, "effect" | "on_same_effect" | "repeatable">;

/**
 * For an effect that was done in work that did not succeed: the call asks for the same effect again.
 *
 * @param contested agents in parallel may ask for it as well
 */
export function policyForSame({ effect, on_same_effect, repeatable }: Policies, contested = false): OnSameEffect {
  if (repeatable) return "run";
  if (contested) return "ask";
  return onSameEffect({ effect, ...defined({ on_same_effect }) });
}

/** For an effect after which the mission continued: the call asks for another effect that is equal to it. */
export function policyForEqual({ effect, on_same_effect, repeatable }: Policies): OnSameEffect {
  if (repeatable) return "run";
  return on_same_effect ?? (effect === "irreversible" ? "ask" : "run");
}

/**
 * For another effect under the id of a task: the strictest policy of the tools that are concerned. A tool's own policy
 * wins over the agent's.
 */
export function policyForOther(
  tools: readonly (Pick<EffectSpec, "on_other_effect"> | undefined)[],
  ofAgent: OnOtherEffect,
): OnOtherEffect {
  const places = tools.map((tool) => ON_OTHER_EFFECT.indexOf(tool?.on_other_effect ?? ofAgent));
  return ON_OTHER_EFFECT[Math.max(...places)] ?? ofAgent;
}
