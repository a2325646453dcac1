import { createRequire } from "node:module";
import path from "node:path";
import { AiSdkModel, missingModelName } from "./ai-sdk";
import type { ProviderModel } from "./ai-sdk-model";
import { type Model, ModelError } from "./model";

/**
 * Providers by their packages of the AI SDK: `mistral/MODEL` is a model of `@ai-sdk/mistral`, when the project or Navigator has
 * it. These packages are installed by those who need them.
 */

interface PackageEntry {
  /** The major version whose models AI SDK 6 takes. */
  major: number;
  /** The variable with its key, which the package reads itself; none: it has several. */
  key?: string;
}

/** Packages with language models, for suggestions and for what is installed. Others work as well. */
const PACKAGES: { [provider: string]: PackageEntry } = {
  "amazon-bedrock": { major: 4 },
  azure: { major: 3, key: "AZURE_API_KEY" },
  cerebras: { major: 2, key: "CEREBRAS_API_KEY" },
  cohere: { major: 3, key: "COHERE_API_KEY" },
  deepinfra: { major: 2, key: "DEEPINFRA_API_KEY" },
  deepseek: { major: 2, key: "DEEPSEEK_API_KEY" },
  fireworks: { major: 2, key: "FIREWORKS_API_KEY" },
  "google-vertex": { major: 4 },
  groq: { major: 3, key: "GROQ_API_KEY" },
  mistral: { major: 3, key: "MISTRAL_API_KEY" },
  perplexity: { major: 3, key: "PERPLEXITY_API_KEY" },
  togetherai: { major: 2, key: "TOGETHER_API_KEY" },
  xai: { major: 3, key: "XAI_API_KEY" },
};

/** Providers that Navigator knows by their packages, installed or not. */
export const PACKAGE_NAMES: readonly string[] = Object.keys(PACKAGES);

/** A provider whose package is installed here. */
export interface InstalledProvider {
  provider: string;
  /** The variable with its key, if it is set. */
  set?: string;
  /** The variable with its key that is not set; undefined: it is set, or the package has other ways. */
  missing?: string;
}

/** The known providers whose packages a folder, or Navigator, has. */
export function installedProviders(folder: string, env: NodeJS.ProcessEnv): InstalledProvider[] {
  return Object.entries(PACKAGES)
    .filter(([provider]) => providerFile(provider, folder) !== undefined)
    .map(([provider, { key }]) => {
      if (key === undefined) return { provider };
      return env[key]?.trim() ? { provider, set: key } : { provider, missing: key };
    });
}

const NAME = /^[a-z0-9][a-z0-9-]*$/;

/**
 * The model `provider/model` of an installed package; null when there is no package of that name.
 *
 * @throws ModelError `config_error` for a known provider whose package is not installed, or has the wrong version;
 *   `llm_not_found` for an empty model name
 */
export function packageModel(
  name: string,
  { env, folder, timeout_ms }: { env: NodeJS.ProcessEnv; folder: string; timeout_ms: number },
): Model | null {
  const slash = name.indexOf("/");
  const [provider, model] = [name.slice(0, slash), name.slice(slash + 1)];
  if (slash < 1 || !NAME.test(provider)) return null;
  const known = Object.hasOwn(PACKAGES, provider) ? PACKAGES[provider] : undefined;
  const file = providerFile(provider, folder);
  if (file === undefined) {
    if (known === undefined) return null;
    throw new ModelError(
      "config_error",
      `The model ${name} needs the package of its provider: ${installCommand(provider, known.major)}`,
    );
  }
  const exported = providerModule(file) as { [name: string]: unknown };
  const create = creator(provider, exported);
  if (create === null) return null;
  if (model.trim() === "") throw missingModelName(provider);
  const prefix = provider.replaceAll("-", "_").toUpperCase();
  const key = known?.key ?? `${prefix}_API_KEY`;
  const [apiKey, baseURL] = [env[key]?.trim() || undefined, env[`${prefix}_BASE_URL`]?.trim() || undefined];
  if (apiKey === undefined && known?.key !== undefined)
    throw new ModelError("config_error", `The model ${name} needs an API key: set ${key} where the worker runs.`);
  return new AiSdkModel({
    name,
    load: async () => {
      const made = create({ ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) })(model);
      if (made.specificationVersion === "v3") return made;
      const install = known === undefined ? "the version for AI SDK 6" : `@ai-sdk/${provider}@${known.major}`;
      throw new ModelError(
        "config_error",
        `The package @ai-sdk/${provider} that is installed has models of the specification ${String(made.specificationVersion)}; Navigator takes v3, of AI SDK 6: npm install ${install}`,
      );
    },
    address: baseURL,
    marksCache: false,
    secrets: apiKey ? [apiKey] : [],
    timeout_ms,
  });
}

/** Whether a name is `provider/model` and the package of this provider is installed. */
export function isOfPackage(name: string, folder: string): boolean {
  const provider = name.slice(0, Math.max(0, name.indexOf("/")));
  return NAME.test(provider) && providerFile(provider, folder) !== undefined;
}

/** The command that installs the package of a provider. */
export const installCommand = (provider: string, major: number): string => `npm install @ai-sdk/${provider}@${major}`;

/** Loads a provider's package from its file. */
export const providerModule = (file: string): unknown => createRequire(file)(file);

/** The file of a provider's package: the project's own, or Navigator's; undefined: it is not installed. */
export function providerFile(provider: string, folder: string): string | undefined {
  for (const from of [path.join(path.resolve(folder), "package.json"), __filename]) {
    try {
      return createRequire(from).resolve(`@ai-sdk/${provider}`);
    } catch {
      // It is not installed there.
    }
  }
  return undefined;
}

type Create = (settings: object) => (model: string) => ProviderModel;

/** `createMistral` of `@ai-sdk/mistral`, `createVertex` of `@ai-sdk/google-vertex`; null: it makes no models. */
function creator(provider: string, exported: { [name: string]: unknown }): Create | null {
  const plain = provider.replaceAll("-", "");
  const named = (fits: (end: string) => boolean) =>
    Object.entries(exported).find(
      ([name, value]) =>
        typeof value === "function" && name.startsWith("create") && fits(name.slice("create".length).toLowerCase()),
    )?.[1];
  const found = named((end) => end === plain) ?? named((end) => end !== "" && plain.endsWith(end));
  return (found as Create | undefined) ?? null;
}
