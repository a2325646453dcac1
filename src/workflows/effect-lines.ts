import { withoutHidden } from "../core/agent/prompt/hidden-values";
import { fitted } from "../core/base/whole-characters";
import { identityArguments } from "../core/effects/effect-id";
import { effectNotes } from "../core/effects/effect-notes";
import { effectsSummary } from "../core/effects/effects-summary";
import type { EffectEntry } from "../core/effects/entry";
import { codeSpan, textInMarkdown } from "../core/review/markdown";

const SHOWN = 20;
const MAX_ARGS = 100;

/**
 * The effects as lines of Markdown for the page of a workflow: how many, and each one that a person should know of. Those
 * with an unknown outcome come first, then the newest. "" without effects.
 */
export function effectLines(effects: readonly EffectEntry[]): string {
  if (effects.length === 0) return "";
  const newest = (isShown: (effect: EffectEntry) => boolean) => effects.filter(isShown).sort((a, b) => b.at - a.at);
  const shown = [...newest(isUnknown), ...newest((effect) => !isUnknown(effect) && isSpecial(effect))];
  const more = shown.length > SHOWN ? [`- ... and ${shown.length - SHOWN} more`] : [];
  return ["### Effects", effectsSummary(effects), ...shown.slice(0, SHOWN).map(effectLine), ...more].join("\n");
}

const isUnknown = ({ state }: EffectEntry): boolean => state === "unknown";

const isSpecial = ({ state, reused, resembles }: EffectEntry): boolean =>
  state === "refused" || reused !== undefined || resembles !== undefined;

function effectLine(effect: EffectEntry): string {
  const { tool, state, args, by, key } = effect;
  const given = args === undefined ? "" : ` ${codeSpan(shown(identityArguments(effect, args)))}`;
  const who = by === undefined ? "" : `, by ${textInMarkdown(by)}`;
  const why = isUnknown(effect) ? ["its answer was lost"] : effectNotes(effect).map(textInMarkdown);
  return `- [${state}] ${textInMarkdown(tool)}${given}${who}${why.map((note) => `, ${note}`).join("")} (${codeSpan(key)})`;
}

function shown(args: NonNullable<EffectEntry["args"]>): string {
  const text = JSON.stringify(withoutHidden(args));
  return fitted(text, MAX_ARGS);
}
