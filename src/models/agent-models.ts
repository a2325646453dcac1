import { isDeepStrictEqual } from "node:util";
import { carriedModels } from "../core/agent/definition/agent-models";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { NavigatorError } from "../core/base/navigator-error";
import { isModelSource, type ModelSource } from "./model-source";

/**
 * The model objects and functions that agents were defined with, by name, beside those that are there.
 *
 * @throws NavigatorError `duplicate_model` when two of them that may answer differently have one name
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
          "duplicate_model",
          `Two models with different settings have the name ${name}; one is of the agent "${agent.name ?? ""}".`,
        );
      if (other === undefined && isModelSource(model)) all.set(name, model);
    }
  return all;
}

/** Whether two models are one, or were made alike: `groq("llama")` in two agents. */
function isSameModel(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one === "function" && typeof other === "function") return false;
  if (!isObjectLike(one) || !isObjectLike(other)) return isDeepStrictEqual(one, other);
  if (Object.getPrototypeOf(one) !== Object.getPrototypeOf(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSamePart(key, one[key], other[key]));
}

/** Functions of providers' packages that give a plain value: each model has its own. */
const VALUES = ["url", "headers", "baseURL", "supportedUrls"];

function isSamePart(key: string, one: unknown, other: unknown): boolean {
  if (one === other || typeof one !== "function" || typeof other !== "function") return isSameModel(one, other);
  if (!VALUES.includes(key) || String(one) !== String(other)) return false;
  const [a, b] = [given(one), given(other)];
  return !(a instanceof Promise) && isDeepStrictEqual(a, b);
}

function given(part: CallableFunction): unknown {
  try {
    return part({ path: "/", modelId: "" });
  } catch (error) {
    // A missing key, for example: of both.
    return String(error);
  }
}

const isObjectLike = (value: unknown): value is { [key: string]: unknown } =>
  typeof value === "object" && value !== null;
