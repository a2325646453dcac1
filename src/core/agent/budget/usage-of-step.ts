import type { Step } from "../result/step";
import { addedUsage, type MissionUsage, NO_USAGE, usageOfReply } from "./mission-usage";

/** Returns the usage of a run from its Step, with the agents that it ran. */
export function usageOfStep({ usage, turns, child_steps }: Step): MissionUsage {
  const named = (turns ?? []).flatMap(({ model, tokens }) =>
    model === undefined || tokens === undefined ? [] : [usageOfReply(tokens, model)],
  );
  const { models } = named.reduce(addedUsage, NO_USAGE);
  const answers = usage?.llm_requests ?? 0;
  // A run reports the sum of its costs: none means that no answer had a price.
  const unpriced = usage?.total_cost === undefined ? answers : 0;
  const own: MissionUsage = {
    turns: answers,
    input_tokens: usage?.input_tokens ?? 0,
    output_tokens: usage?.output_tokens ?? 0,
    cached_tokens: usage?.cache_read_tokens ?? 0,
    cost: usage?.total_cost ?? 0,
    ...(unpriced === 0 ? {} : { unpriced }),
    models,
  };
  return child_steps.map(usageOfStep).reduce(addedUsage, own);
}
