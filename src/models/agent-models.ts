import { carriedModels } from "../core/agent/definition/agent-models";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { NavigatorError } from "../core/base/navigator-error";
import { isModelSource, type ModelSource } from "./model-source";

/**
 * The model objects and functions that agents were defined with, by name, beside those that are there.
 *
 * @throws NavigatorError `already_exists` when two of them that may answer differently have one name
 */
export function withModelsOfAgents(
  agents: Iterable<AgentDefinition>,
  others: { readonly [name: string]: ModelSource } = {},
): Map<string, ModelSource> {
  const all = new Map(Object.entries(others));
  for (const agent of agents)
    for (const { name, model } of carriedModels(agent)) {
      const other = all.get(name);
      if (other !== undefined && !isSameModel(other, model))
        throw new NavigatorError(
          "already_exists",
          `Two models with different settings have the name ${name}; one is of the agent "${agent.name ?? ""}".`,
          {
            hint: "Make the model once and give it to both agents, or name them in `models` of navigator.config and name those in the agents.",
            details: { path: name, kind: "model" },
          },
        );
      if (other === undefined && isModelSource(model)) all.set(name, model);
    }
  return all;
}

/**
 * Whether two model objects were made alike: `groq("llama")` in two agents. What cannot be seen may differ, and with it the
 * account that is asked: so objects are alike only if all that they hold can be seen and is alike.
 */
export const isSameModel = (one: unknown, other: unknown): boolean => alike(one, other, new Map());

/** Pairs that are being compared: an object may contain itself. */
type Begun = Map<object, Set<object>>;

function alike(one: unknown, other: unknown, begun: Begun): boolean {
  if (Object.is(one, other)) return true;
  if (!isObjectLike(one) || !isObjectLike(other)) return false;
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const builtIn = [contentOf(one), contentOf(other)];
  if (builtIn[0] !== undefined) return builtIn[0] === builtIn[1];
  if (!isOpen(one)) return false;
  const partners = begun.get(one) ?? new Set();
  if (partners.has(other)) return true;
  begun.set(one, partners.add(other));
  const keys = new Set([...Reflect.ownKeys(one), ...Reflect.ownKeys(other)]);
  return [...keys].every((key) => alikeParts(key, one, other, begun));
}

/** Functions of providers' packages that give a plain value: each model has its own. */
const VALUES: PropertyKey[] = ["url", "headers", "baseURL", "supportedUrls"];

function alikeParts(key: PropertyKey, one: object, other: object, begun: Begun): boolean {
  const [a, b] = [Object.getOwnPropertyDescriptor(one, key), Object.getOwnPropertyDescriptor(other, key)];
  if (a === undefined || b === undefined) return (a ?? b)?.value === undefined && (a ?? b)?.get === undefined;
  if (a.get !== undefined || b.get !== undefined) return a.get === b.get;
  const [x, y]: unknown[] = [a.value, b.value];
  if (x === y || typeof x !== "function" || typeof y !== "function") return alike(x, y, begun);
  return VALUES.includes(key) && String(x) === String(y) && alike(given(x), given(y), begun);
}

function given(part: CallableFunction): unknown {
  try {
    return part({ path: "/", modelId: "" });
  } catch (error) {
    // A missing key, for example: of both.
    return String(error);
  }
}

/** All that an object of a class of the language holds, as a text; undefined for other objects. */
function contentOf(value: object): string | undefined {
  if (value instanceof URL) return value.href;
  if (value instanceof RegExp) return String(value);
  return value instanceof Headers ? JSON.stringify([...value]) : undefined;
}

/** Private members, and objects by which others may keep something: `this` as an argument. */
const HIDING = /[\s;{.]#[\w$]|[(,]\s*this\s*[,)]/;

/** Whether all that an object holds is in its properties: a list, a plain object, or one of a class that hides nothing. */
function isOpen(value: object): boolean {
  if (Array.isArray(value)) return true;
  for (let type = Object.getPrototypeOf(value); type !== null; type = Object.getPrototypeOf(type)) {
    if (Object.getPrototypeOf(type) === null) return true;
    const source = String((type as { constructor?: unknown }).constructor);
    if (source.includes("[native code]") || HIDING.test(source)) return false;
  }
  return true;
}

const isObjectLike = (value: unknown): value is object => typeof value === "object" && value !== null;
