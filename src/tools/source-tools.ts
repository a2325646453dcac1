import type { EffectSettings, ToolEffect } from "../core/effects/effect-settings";
import { callable } from "../core/signature/json-schema/argument-names";
import { SchemaError } from "../core/signature/json-schema/schema-reader";
import { effectSettingsOf } from "./effect-options";
import { badSetting, type OpenedSource, Unusable } from "./source";
import type { SourceEffect } from "./source-settings";
import { isToolName, type Tool } from "./tool";

/** Converts the operations of a source to tools by name. */

/** The name under which programs call a tool of a source. @throws Unusable when it cannot be one */
export function sourceToolName(source: { name: string; prefix?: string | undefined }, own: string): string {
  const prefix = source.prefix ?? `${source.name}_`;
  const name = prefix === "" ? callable(own) : `${prefix}${callable(own).replace(/^_(?=\d)/, "")}`;
  if (isToolName(name)) return name;
  throw new Unusable(
    `it cannot be called "${name}" (letters, digits, _ and -, at most 64, not return or fail): set another prefix`,
  );
}

/** @throws NavigatorError for effects of tools that there are not */
export function checkEffects(effects: { [name: string]: SourceEffect }, known: string[], place: string): void {
  const unknown = Object.keys(effects).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw badSetting(`${place}.effects`, `there is no ${quoted(unknown)}; there are ${known.join(", ")}`);
}

/** The part of a tool's spec that the settings give. @throws NavigatorError for an identity that it does not have */
export const sourceEffects = (
  { effect: _, ...options }: SourceEffect,
  declared: { effect: ToolEffect; signature: string },
  place: string,
): EffectSettings => effectSettingsOf(options, declared, (problem) => badSetting(place, problem));

interface Making<T> {
  place: string;
  /** The setting that names those that are wanted; all without it. */
  list: readonly string[] | undefined;
  listName: string;
  /** As the source itself calls it. */
  nameOf(one: T): string;
  /** @throws Unusable or SchemaError where none can be made: it is left out, unless it was asked for by name */
  make(one: T): Tool;
}

/** @throws NavigatorError: a name in the list that nothing has, an unusable one, two of one name */
export function makeTools<T>(all: readonly T[], { place, list, listName, nameOf, make }: Making<T>): OpenedSource {
  const at = `${place}.${listName}`;
  const names = all.map(nameOf);
  const unknown = (list ?? []).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw badSetting(at, `there is no ${quoted(unknown)}; there are ${names.join(", ")}`);
  const opened: OpenedSource = { tools: [], left_out: [] };
  const origins = new Map<string, string>();
  for (const one of all) {
    const own = nameOf(one);
    if (list !== undefined && !list.includes(own)) continue;
    try {
      const tool = make(one);
      const other = origins.get(tool.spec.name);
      if (other !== undefined)
        throw badSetting(at, `"${other}" and "${own}" are both called "${tool.spec.name}": leave one out`);
      origins.set(tool.spec.name, own);
      opened.tools.push(tool);
    } catch (error) {
      if (!(error instanceof Unusable || error instanceof SchemaError)) throw error;
      if (list !== undefined) throw badSetting(at, `"${own}" cannot be used: ${error.message}`);
      opened.left_out.push({ name: own, reason: error.message });
    }
  }
  return opened;
}

const quoted = (names: string[]): string => names.map((name) => `"${name}"`).join(", ");
