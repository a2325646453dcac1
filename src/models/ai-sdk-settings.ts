import { defined } from "../core/base/defined";
import type { JsonObject } from "../core/base/json";
import type { CallSettings } from "../core/calls/model-settings";
import type { ProviderCall, ProviderOptions } from "./ai-sdk-model";
import { schemaOptions } from "./ai-sdk-schema";

/** The settings of a call in the AI SDK's words. Of two options of one provider, the agent's own wins over the schema's. */
export function settingsOf(settings: CallSettings = {}, schema: JsonObject | undefined): Partial<ProviderCall> {
  const ofSchema = schema === undefined ? {} : schemaOptions(schema);
  const providerOptions: ProviderOptions = { ...ofSchema };
  for (const [provider, own] of Object.entries(settings.provider_options ?? {}))
    providerOptions[provider] = { ...ofSchema[provider], ...(own as ProviderOptions[string]) };
  return {
    ...defined({
      temperature: settings.temperature,
      topP: settings.top_p,
      topK: settings.top_k,
      stopSequences: settings.stop_sequences,
      seed: settings.seed,
      presencePenalty: settings.presence_penalty,
      frequencyPenalty: settings.frequency_penalty,
      headers: settings.headers,
    }),
    ...(Object.keys(providerOptions).length === 0 ? {} : { providerOptions }),
  };
}
