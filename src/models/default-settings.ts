import type { CallSettings, ModelSettings } from "../core/calls/model-settings";
import type { Model, ModelCall } from "./model";

/** Settings of models by name, for calls that do not set them. */
export interface DefaultSettings {
  [model: string]: ModelSettings;
}

/**
 * The model with its default settings, if it has any. The settings of a call come first: setting by setting, header by
 * header, and provider by provider.
 */
export function withDefaultSettings(name: string, model: Model, defaults: DefaultSettings = {}): Model {
  const own = Object.hasOwn(defaults, name) ? defaults[name] : undefined;
  if (own === undefined) return model;
  const { max_output_tokens: limit, ...settings } = own;
  return {
    complete: (call, options) =>
      model.complete(
        {
          ...(limit === undefined ? {} : { max_output_tokens: limit }),
          ...call,
          settings: merged(settings, call.settings),
        },
        options,
      ),
  };
}

function merged(defaults: CallSettings, given: ModelCall["settings"] = {}): CallSettings {
  const { provider_options, headers } = defaults;
  return {
    ...defaults,
    ...given,
    ...(provider_options && { provider_options: { ...provider_options, ...given.provider_options } }),
    ...(headers && { headers: { ...headers, ...given.headers } }),
  };
}
