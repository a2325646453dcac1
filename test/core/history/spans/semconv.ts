/**
 * The attributes of OpenTelemetry's semantic conventions for generative AI that spans may have: the registry `gen_ai` of
 * github.com/open-telemetry/semantic-conventions-genai, as of September 2026, and those of other registries that it refers to.
 */
export const SEMCONV_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...["description", "id", "name", "version"].map((name) => `gen_ai.agent.${name}`),
  "gen_ai.conversation.id",
  "gen_ai.input.messages",
  "gen_ai.operation.name",
  "gen_ai.output.messages",
  "gen_ai.output.type",
  "gen_ai.provider.name",
  ...["choice.count", "max_tokens", "model", "seed", "stop_sequences", "stream", "temperature", "top_k", "top_p"].map(
    (name) => `gen_ai.request.${name}`,
  ),
  ...["finish_reasons", "id", "model", "time_to_first_chunk"].map((name) => `gen_ai.response.${name}`),
  "gen_ai.system_instructions",
  "gen_ai.token.type",
  ...["call.arguments", "call.id", "call.result", "definitions", "description", "name", "type"].map(
    (name) => `gen_ai.tool.${name}`,
  ),
  ...["cache_creation.input_tokens", "cache_read.input_tokens", "input_tokens", "output_tokens"].map(
    (name) => `gen_ai.usage.${name}`,
  ),
  "gen_ai.usage.reasoning.output_tokens",
  "gen_ai.workflow.name",
  "error.type",
]);
