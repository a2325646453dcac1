import { AiSdkModel, missingModelName } from "./ai-sdk";
import type { ProviderModel } from "./ai-sdk-model";
import { type Model, ModelError } from "./model";
import { installCommand, providerFile, providerModule } from "./provider-packages";

/** The real providers: the environment variables of each, and how its model is made. */
interface ProviderEntry {
  /** Names of the variable with the key, best first; the first one is the one to recommend. */
  keys: string[];
  keyRequired: boolean;
  baseUrl: string;
  baseUrlRequired: boolean;
  /** The major version of its package, whose models AI SDK 6 takes. */
  major: number;
  /** It needs cache marks. */
  marksCache?: true;
  /** @param exported by its package */
  make(exported: unknown, model: string, settings: ProviderSettings): ProviderModel;
}

interface ProviderSettings {
  apiKey: string | undefined;
  baseURL: string | undefined;
}

const PROVIDERS: { [name: string]: ProviderEntry } = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    keyRequired: true,
    baseUrl: "ANTHROPIC_BASE_URL",
    baseUrlRequired: false,
    major: 3,
    marksCache: true,
    make(exported, model, { apiKey, baseURL }) {
      const { createAnthropic } = exported as typeof import("@ai-sdk/anthropic");
      return createAnthropic(defined({ apiKey, baseURL: baseURL && withVersion(baseURL, "/v1") }))(model);
    },
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    keyRequired: true,
    baseUrl: "OPENAI_BASE_URL",
    baseUrlRequired: false,
    major: 3,
    make(exported, model, settings) {
      const { createOpenAI } = exported as typeof import("@ai-sdk/openai");
      // Chat completions, not responses: they store nothing at the provider, and gateways support them too.
      return createOpenAI(defined(settings)).chat(model);
    },
  },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyRequired: true,
    baseUrl: "GOOGLE_BASE_URL",
    baseUrlRequired: false,
    major: 3,
    make(exported, model, { apiKey, baseURL }) {
      const { createGoogleGenerativeAI } = exported as typeof import("@ai-sdk/google");
      return createGoogleGenerativeAI(defined({ apiKey, baseURL: baseURL && withVersion(baseURL, "/v1beta") }))(model);
    },
  },
  "openai-compatible": {
    keys: ["NAVIGATOR_API_KEY"],
    keyRequired: false,
    baseUrl: "NAVIGATOR_BASE_URL",
    baseUrlRequired: true,
    major: 2,
    make(exported, model, { apiKey, baseURL }) {
      const { createOpenAICompatible } = exported as typeof import("@ai-sdk/openai-compatible");
      return createOpenAICompatible({
        name: "openai-compatible",
        baseURL: baseURL as string,
        // Most servers support schemas today; for the others see AiSdkModel.
        supportsStructuredOutputs: true,
        // Tokens are counted in streams as well.
        includeUsage: true,
        ...defined({ apiKey }),
      })(model);
    },
  },
};

export const PROVIDER_NAMES: readonly string[] = Object.keys(PROVIDERS);

/** A provider as configured here. */
export interface ProviderState {
  provider: string;
  /** It can be called; whether it answers is unknown. */
  usable: boolean;
  /** Names of the variables that are set, never their values. */
  set: string[];
  /** The variables and the package that are missing. */
  missing: string[];
}

/**
 * Lists the providers, with what this environment lacks for each.
 *
 * @param folder the project, whose packages are used
 */
export function providerStates(env: NodeJS.ProcessEnv, folder: string): ProviderState[] {
  return Object.entries(PROVIDERS).map(([provider, { keys, keyRequired, baseUrl, baseUrlRequired, major }]) => {
    const isSet = (name: string) => Boolean(env[name]?.trim());
    const key = keys.find(isSet);
    const missing = [
      ...(keyRequired && key === undefined ? [keys[0] as string] : []),
      ...(baseUrlRequired && !isSet(baseUrl) ? [baseUrl] : []),
      ...(providerFile(provider, folder) === undefined ? [installCommand(provider, major)] : []),
    ];
    return {
      provider,
      usable: missing.length === 0,
      set: [...(key === undefined ? [] : [key]), ...(isSet(baseUrl) ? [baseUrl] : [])],
      missing,
    };
  });
}

const TIMEOUT_SETTING = "NAVIGATOR_MODEL_TIMEOUT_MS";
/** Under the activity's own limit, so that a silent provider differs from a lost worker. */
const DEFAULT_TIMEOUT_MS = 300_000;

/**
 * The model `provider/model`; null when there is no such provider.
 *
 * @param folder the project, whose packages are used before Navigator's
 * @throws ModelError `config_error` that names the variable to set or the package to install, or `llm_not_found` for an
 *   empty model name.
 */
export function realModel(name: string, env: NodeJS.ProcessEnv, folder: string): Model | null {
  const slash = name.indexOf("/");
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
  const entry = slash > 0 && Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider] : undefined;
  if (!entry) return null;
  if (model.trim() === "") throw missingModelName(provider);
  const apiKey = entry.keys.map((key) => env[key]?.trim()).find((value) => value);
  if (!apiKey && entry.keyRequired)
    throw new ModelError(
      "config_error",
      `The model ${name} needs an API key: set ${entry.keys[0]} where the worker runs.`,
    );
  const baseURL = env[entry.baseUrl]?.trim() || undefined;
  if (baseURL === undefined && entry.baseUrlRequired)
    throw new ModelError(
      "config_error",
      `The model ${name} needs ${entry.baseUrl}: the server's address, as in http://127.0.0.1:11434/v1`,
    );
  if (baseURL !== undefined && !/^https?:$/.test(protocol(baseURL)))
    throw new ModelError("config_error", `${entry.baseUrl} is not an http(s) address.`);
  const file = providerFile(provider, folder);
  if (file === undefined)
    throw new ModelError(
      "config_error",
      `The model ${name} needs the package of its provider: ${installCommand(provider, entry.major)}`,
    );
  return new AiSdkModel({
    name,
    load: async () => entry.make(providerModule(file), model, { apiKey, baseURL }),
    address: baseURL,
    marksCache: entry.marksCache ?? false,
    secrets: apiKey ? [apiKey] : [],
    timeout_ms: timeoutMs(env),
  });
}

/** The time limit of a call. @throws ModelError `config_error` for a setting that is no number */
export function timeoutMs(env: NodeJS.ProcessEnv): number {
  const text = env[TIMEOUT_SETTING]?.trim();
  if (!text) return DEFAULT_TIMEOUT_MS;
  const ms = Number(text);
  if (!Number.isInteger(ms) || ms <= 0)
    throw new ModelError("config_error", `${TIMEOUT_SETTING} must be a number of milliseconds, got "${text}".`);
  return ms;
}

const protocol = (url: string): string => (URL.canParse(url) ? new URL(url).protocol : "");

/** These providers' own tools write the address without its version; both forms are accepted here. */
function withVersion(url: string, version: string): string {
  const base = url.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(base) ? base : `${base}${version}`;
}

function defined<T extends object>(settings: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)) as never;
}
