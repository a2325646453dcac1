import { AiSdkModel, missingModelName } from "./ai-sdk";
import type { ProviderModel } from "./ai-sdk-model";
import { type Model, ModelError } from "./model";

/** The real providers: the environment variables of each, and how its model is made. */
interface ProviderEntry {
  /** Names of the variable with the key, best first; the first one is the one to recommend. */
  keys: string[];
  keyRequired: boolean;
  baseUrl: string;
  baseUrlRequired: boolean;
  /** It needs cache marks. */
  marksCache?: true;
  load(model: string, settings: { apiKey: string | undefined; baseURL: string | undefined }): Promise<ProviderModel>;
}

const PROVIDERS: { [name: string]: ProviderEntry } = {
  anthropic: {
    keys: ["ANTHROPIC_API_KEY"],
    keyRequired: true,
    baseUrl: "ANTHROPIC_BASE_URL",
    baseUrlRequired: false,
    marksCache: true,
    async load(model, { apiKey, baseURL }) {
      const { createAnthropic } = await import("@ai-sdk/anthropic");
      return createAnthropic(defined({ apiKey, baseURL: baseURL && withVersion(baseURL, "/v1") }))(model);
    },
  },
  openai: {
    keys: ["OPENAI_API_KEY"],
    keyRequired: true,
    baseUrl: "OPENAI_BASE_URL",
    baseUrlRequired: false,
    async load(model, settings) {
      const { createOpenAI } = await import("@ai-sdk/openai");
      // Chat completions, not responses: they store nothing at the provider, and gateways support them too.
      return createOpenAI(defined(settings)).chat(model);
    },
  },
  google: {
    keys: ["GOOGLE_GENERATIVE_AI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keyRequired: true,
    baseUrl: "GOOGLE_BASE_URL",
    baseUrlRequired: false,
    async load(model, { apiKey, baseURL }) {
      const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
      return createGoogleGenerativeAI(defined({ apiKey, baseURL: baseURL && withVersion(baseURL, "/v1beta") }))(model);
    },
  },
  "openai-compatible": {
    keys: ["NAVIGATOR_API_KEY"],
    keyRequired: false,
    baseUrl: "NAVIGATOR_BASE_URL",
    baseUrlRequired: true,
    async load(model, { apiKey, baseURL }) {
      const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
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
  /** Names of the variables that are missing. */
  missing: string[];
}

/** Lists the providers, with the settings that this environment lacks for each. */
export function providerStates(env: NodeJS.ProcessEnv): ProviderState[] {
  return Object.entries(PROVIDERS).map(([provider, { keys, keyRequired, baseUrl, baseUrlRequired }]) => {
    const isSet = (name: string) => Boolean(env[name]?.trim());
    const key = keys.find(isSet);
    const missing = [
      ...(keyRequired && key === undefined ? [keys[0] as string] : []),
      ...(baseUrlRequired && !isSet(baseUrl) ? [baseUrl] : []),
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
 * @throws ModelError `config_error` that names the variable to set, or `llm_not_found` for an empty model name.
 */
export function realModel(name: string, env: NodeJS.ProcessEnv): Model | null {
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
  return new AiSdkModel({
    name,
    load: () => entry.load(model, { apiKey, baseURL }),
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
