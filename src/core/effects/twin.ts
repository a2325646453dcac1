import { entriesOf, fromEntries, HostSet, isArray } from "../base/intrinsics";
import { isObject } from "../base/is-object";
import type { Json, JsonObject } from "../base/json";
import { wireName } from "../signature/parse";
import { canonicalJson } from "./canonical-json";
import { withoutDefaults } from "./declared-input";
import { canonicalDigest, type EffectSpec } from "./effect-id";

/**
 * Calls of one tool that are perhaps one effect in other words (effects reference, section 5): a model that asks again rewords
 * its memo. The tool has not declared which arguments make its effect, so a person decides.
 */

/** Names of fields that are free text, whatever their values are. */
const TEXTS = namesOf(
  "memo note notes remark remarks comment comments description message text body subject title reason purpose detail details summary explanation",
);
/** Names of fields that identify people and things, although their values may have blanks. */
const NAMES = namesOf(
  "id ids key code number no name to from cc bcc who recipient recipients payee payer sender beneficiary customer client user person employee owner account iban bic card email mail phone address street city country path file url host date time day sku product item",
);

/**
 * The paths of the texts in which two calls differ, if they differ in nothing else; undefined: in something else, or not at all.
 *
 * @param now the arguments of a call, without defaults, as `before`
 */
export function differingTexts(now: JsonObject, before: JsonObject): string[] | undefined {
  const paths = compared(now, before, "", "");
  return paths === undefined || paths.length === 0 ? undefined : paths;
}

/** @param name of the field that has the values, or the list that they are in */
function compared(a: Json | undefined, b: Json | undefined, name: string, path: string): string[] | undefined {
  if (isArray(a) && isArray(b)) {
    if (a.length !== b.length) return undefined;
    return joined(a.map((item, i) => compared(item, b[i], name, `${path}[${i}]`)));
  }
  if (isObject(a) && isObject(b)) {
    const names = [...new HostSet([...entriesOf(a), ...entriesOf(b)].map(([field]) => wireName(field)))];
    return joined(
      names.map((field) =>
        compared(valueIn(a, field), valueIn(b, field), field, path === "" ? field : `${path}.${field}`),
      ),
    );
  }
  if (isMissing(a) && isMissing(b)) return [];
  if (!isMissing(a) && !isMissing(b) && canonicalJson(a) === canonicalJson(b)) return [];
  return isText(a, name) && isText(b, name) && (isFreeText(name) || hasBlank(a) || hasBlank(b)) ? [path] : undefined;
}

/** A digest of the arguments without their texts, for calls whose arguments are too long to be kept. */
export const firmDigest = (args: JsonObject): string => canonicalDigest({ args: firm(args, "") ?? null });

function firm(value: Json, name: string): Json | undefined {
  if (isArray(value)) return value.map((item) => firm(item, name) ?? null);
  if (isObject(value)) {
    const kept = entriesOf(value).flatMap(([field, item]): [string, Json][] => {
      const left = isMissing(item) ? undefined : firm(item, wireName(field));
      return left === undefined ? [] : [[wireName(field), left]];
    });
    return fromEntries(kept);
  }
  return isText(value, name) && (isFreeText(name) || hasBlank(value)) ? undefined : value;
}

/** The compared part of a call: its arguments, or the digest of those that are no texts. */
type Compared = { args?: JsonObject; firm?: string };

/** Whether an earlier call is this one in other words. */
export const isTwin = (spec: Pick<EffectSpec, "takes">, now: JsonObject, { args, firm }: Compared): boolean =>
  args === undefined
    ? firm === firmDigest(withoutDefaults(spec.takes, now))
    : differingTexts(withoutDefaults(spec.takes, now), withoutDefaults(spec.takes, args)) !== undefined;

function joined(parts: readonly (string[] | undefined)[]): string[] | undefined {
  const all: string[] = [];
  for (const part of parts) {
    if (part === undefined) return undefined;
    all.push(...part);
  }
  return all;
}

const valueIn = (of: JsonObject, field: string): Json | undefined =>
  entriesOf(of).find(([name]) => wireName(name) === field)?.[1];

const isMissing = (value: Json | undefined): value is null | undefined => value === null || value === undefined;

/** A text that is left out is a text, too. */
const isText = (value: Json | undefined, name: string): boolean =>
  (typeof value === "string" || isMissing(value)) && !NAMES.has(lastWord(name));

const isFreeText = (name: string): boolean => TEXTS.has(lastWord(name));

const hasBlank = (value: Json | undefined): boolean => typeof value === "string" && /\S\s+\S/.test(value);

/** `invoiceNote` and `invoice_note` are notes. */
function lastWord(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").split("_");
  return (words.at(-1) ?? "").toLowerCase();
}

function namesOf(words: string): ReadonlySet<string> {
  return new HostSet(words.split(" "));
}
