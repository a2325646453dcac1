import path from "node:path";
import { continuedModels } from "../core/agent/definition/agent-models";
import type { AgentDefinition } from "../core/agent/definition/definition";
import { didYouMean } from "../core/base/input/did-you-mean";
import { NavigatorError, thrownText } from "../core/base/navigator-error";
import type { Price } from "../core/calls/host";
import { readDataFile } from "../node/data-file";
import { type DefaultSettings, withDefaultSettings } from "./default-settings";
import { type Model, ModelError, type ModelErrorClass } from "./model";
import {
  hasEveryId,
  isModelSource,
  type ModelRegistry,
  type ModelSource,
  modelOfRegistry,
  modelOfSource,
} from "./model-source";
import { type PriceTable, priced, priceOf } from "./prices";
import { isOfPackage, PACKAGE_NAMES, packageModel } from "./provider-packages";
import { PROVIDER_NAMES, realModel, timeoutMs } from "./providers";
import { parseScript, type Script, scriptedModel } from "./scripted";

/** Models by name, as a worker has them. */
export interface ModelResolver {
  /**
   * @throws ModelError: `llm_not_found` for an unknown name (it lists the known ones), `config_error` for a model whose
   *   key, address or script is missing (it names the variable or file).
   */
  resolve(name: string): Model;
  /** The price of a model; undefined = not known. */
  price?(name: string): Price | undefined;
  /** The project's own models, by name. */
  readonly own?: readonly string[];
  /**
   * The same models, and those that these agents were defined with.
   *
   * @throws NavigatorError `already_exists` when two models that may answer differently have one name
   */
  withAgents?(agents: Iterable<AgentDefinition>): ModelResolver;
}

/** Options of `createModels`: the models, and the sources of keys and scripts. */
export interface ModelOptions {
  /** Default: the process's environment. Read when a model is resolved. */
  env?: NodeJS.ProcessEnv;
  /** The script of `scripted` if NAVIGATOR_SCRIPT is not set: a script, or its path. */
  script?: Script | string;
  /**
   * Your own models, by name: model objects of the AI SDK, functions, or objects with `complete`. A name here overrides a
   * built-in one.
   */
  models?: { [name: string]: ModelSource };
  /** Agents of `defineAgent` whose `model` is an object or a function: their models are known by the agents' names of them. */
  agents?: Iterable<AgentDefinition>;
  /** A provider or a registry of the AI SDK: its ids are names of models, as in `anthropic:claude-sonnet-4-5`. */
  registry?: ModelRegistry;
  /** Settings of models, by name, for calls of agents that do not set them. */
  settings?: DefaultSettings;
  /** Prices of models, by name. A name here overrides the built-in table. */
  prices?: PriceTable;
  /**
   * The folder to which `scripted:<path>` and NAVIGATOR_SCRIPT are relative, and whose packages of providers are used.
   * Default: the current one.
   */
  folder?: string;
}

/**
 * The models of a worker by name: `provider/model` for the providers that are built in and those whose package
 * `@ai-sdk/PROVIDER` is installed, `scripted`, and your own. A name is looked up when a run first uses it: `resolve` then throws ModelError `llm_not_found` or `config_error`.
 *
 * @throws NavigatorError `already_exists` when two models that may answer differently have one name
 */
export function createModels(options: ModelOptions = {}): ModelResolver {
  const env = options.env ?? process.env;
  const own = withModelsOfAgents(options.agents ?? [], options.models);
  const { registry, folder = "." } = options;
  const known = new Map<string, Model>();
  const names = () => [
    ...own.keys(),
    "scripted",
    "scripted:PATH",
    ...PROVIDER_NAMES.map((provider) => `${provider}/MODEL`),
  ];

  const ownModel = (name: string): Model | undefined => {
    const source = own.get(name);
    return source && modelOfSource(name, source, timeoutMs(env));
  };
  const make = (name: string): Model => {
    if (name === "scripted" || name.startsWith("scripted:")) return script(name, options, env);
    const real = realModel(name, env, folder);
    if (real) return real;
    const registered = () => registry && modelOfRegistry(name, registry, timeoutMs(env));
    const packaged = () => packageModel(name, { env, folder, timeout_ms: timeoutMs(env) });
    // A provider has every id: it would take the names of all packages that are installed.
    const found =
      registry && isOfPackage(name, folder) && hasEveryId(registry)
        ? (packaged() ?? registered())
        : (registered() ?? packaged());
    if (found) return found;
    throw unknownModel(name, names());
  };
  return {
    own: [...own.keys()],
    withAgents: (agents) => createModels({ ...options, models: Object.fromEntries(own), agents }),
    price: (name) => priceOf(name, options.prices),
    resolve(name) {
      const ready = known.get(name);
      if (ready !== undefined) return ready;
      const set = withDefaultSettings(name, ownModel(name) ?? make(name), options.settings);
      const found = priced(name, set, options.prices);
      known.set(name, found);
      return found;
    },
  };
}

/**
 * Models that also know the model objects and functions of these agents: for workers, the plugin and tests alike.
 *
 * @throws NavigatorError `already_exists`
 */
export function modelsWithAgents(models: ModelResolver, agents: Iterable<AgentDefinition>): ModelResolver {
  if (models.withAgents !== undefined) return models.withAgents(agents);
  const added = createModels({ agents });
  const ofName = (name: string) => (added.own?.includes(name) ? added : models);
  return {
    own: [...(models.own ?? []), ...(added.own ?? [])],
    resolve: (name) => ofName(name).resolve(name),
    price: (name) => models.price?.(name) ?? ofName(name).price?.(name),
  };
}

function unknownModel(name: string, names: readonly string[]): ModelError {
  const provider = name.slice(0, Math.max(0, name.indexOf("/")));
  const suggestion = didYouMean(provider, [...PROVIDER_NAMES, ...PACKAGE_NAMES]) || didYouMean(name, names);
  const likely = suggestion === "" ? "" : ` ${suggestion[0]?.toUpperCase()}${suggestion.slice(1)}`;
  const help = OF_CODE.test(name) ? OF_AGENTS : "";
  return new ModelError(
    "llm_not_found",
    `There is no model "${name}".${likely} Available: ${names.join(", ")}.${help}`,
  );
}

/** Names as agents have them for model objects and functions: `groq.chat/llama`, `function/echo`. */
const OF_CODE = /^(function|[^/]*\.[^/]*)\//;
const OF_AGENTS =
  " A model object or a function in an agent is known where the worker is given the agent: `agents` of navigator.config or createWorker.";

function script(name: string, options: ModelOptions, env: NodeJS.ProcessEnv): Model {
  const source = name.slice("scripted:".length) || env.NAVIGATOR_SCRIPT?.trim() || options.script;
  if (source === undefined || source === "")
    throw new ModelError(
      "config_error",
      'The model "scripted" has no script: set NAVIGATOR_SCRIPT to a file, or `script` in navigator.config, or use scripted:PATH.',
    );
  if (typeof source !== "string")
    return scriptedModel(parseScript(source, "The project's script"), "The project's script");
  const file = path.resolve(options.folder ?? ".", source);
  let raw: unknown;
  try {
    raw = readDataFile(file);
  } catch (error) {
    throw new ModelError("config_error", `The script cannot be used. ${(error as Error).message}`);
  }
  return scriptedModel(parseScript(raw, file), file);
}

/** A model by its name, and whether this process can call it. */
export type PreparedModel =
  | { name: string; usable: true }
  | { name: string; usable: false; errorClass: ModelErrorClass; problem: string };

/** Prepares the named models without calling them, so that a problem is known before a mission meets it. */
export function prepareModels(models: ModelResolver, names: Iterable<string>): PreparedModel[] {
  return [...new Set(names)].map((name) => {
    try {
      models.resolve(name);
      return { name, usable: true };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return { name, usable: false, errorClass: error.errorClass, problem: error.message };
    }
  });
}

/**
 * The model objects and functions that agents were defined with, by name, added to those that are there.
 *
 * @throws NavigatorError `already_exists` when two of them that may answer differently have one name
 */
function withModelsOfAgents(
  agents: Iterable<AgentDefinition>,
  others: { readonly [name: string]: ModelSource } = {},
): Map<string, ModelSource> {
  const all = new Map(Object.entries(others));
  for (const agent of agents)
    for (const { name, model } of continuedModels(agent)) {
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
 * Whether two model objects were made alike: `groq("llama")` in two agents. Invisible parts may differ, and with them
 * the account that is asked: so objects are alike only if all their contents can be seen and are alike.
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
    return thrownText(error);
  }
}

/** The contents of an object of a class of the language, as a text; undefined for other objects. */
function contentOf(value: object): string | undefined {
  if (value instanceof URL) return value.href;
  if (value instanceof RegExp) return String(value);
  return value instanceof Headers ? JSON.stringify([...value]) : undefined;
}

/** Private members, and objects by which others may keep something: `this` as an argument. */
const HIDING = /[\s;{.]#[\w$]|[(,]\s*this\s*[,)]/;

/**
 * Whether all contents of an object are in its properties: a list, a plain object, or one of a class that hides
 * nothing.
 */
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
