import { defined } from "../../base/defined";
import { failed, ok, type Result } from "../../base/failure";
import type { CallHost, ModelReply, ModelRequest, Price } from "../../calls/host";
import type { AgentInput } from "../definition/agent-input";
import { boundOf } from "./call-bound";

/** Tokens of an answer that a budget reserves if the agent sets no limit. */
const DEFAULT_OUTPUT_TOKENS = 4_096;

/**
 * A model call within the budget of the tree, if there is one: its maximum is reserved first, and its real usage is
 * counted afterwards. The cost of a call without an answer is unknown and counts as nothing.
 */
export async function withinBudget<R extends ModelReply>(
  host: CallHost,
  input: AgentInput,
  models: readonly string[],
  request: Omit<ModelRequest, "model">,
  ask: (request: Omit<ModelRequest, "model">) => Promise<Result<R>>,
): Promise<Result<R>> {
  const max_output_tokens = input.agent.max_output_tokens ?? input.agent.model_settings?.max_output_tokens;
  const limited = max_output_tokens === undefined ? request : { ...request, max_output_tokens };
  const shared = input.shares_budget ?? (input.budget ? { cost: input.budget.cost !== undefined } : undefined);
  if (shared === undefined) return ask(limited);
  const output = max_output_tokens ?? DEFAULT_OUTPUT_TOKENS;
  const prices = shared.cost ? await pricesOf(host, models) : ok([]);
  if (!prices.ok) return prices;
  const bounds = [undefined, ...prices.value].map((price) => boundOf(request, output, price));
  const bound = {
    tokens: Math.max(...bounds.map(({ tokens }) => tokens)),
    cost: Math.max(...bounds.map(({ cost = 0 }) => cost)),
  };
  const reserved = await host.reserve(bound, request.deadline_ms);
  if (!reserved.ok) return reserved;
  const reply = await ask({ ...limited, max_output_tokens: output });
  await host.settle(reserved.value, reply.ok ? usedBy(reply.value) : { tokens: 0, cost: 0 });
  return reply;
}

/** A model without a price could cost anything, so a budget in money cannot limit it. */
async function pricesOf(host: CallHost, models: readonly string[]): Promise<Result<Price[]>> {
  const found = await host.prices(models);
  if (!found.ok) return found;
  const unknown = models.filter((model) => !found.value[model]);
  if (unknown.length === 0) return ok(models.map((model) => found.value[model] as Price));
  return failed(
    "price_unknown",
    `No price is known for ${unknown.join(", ")}, so a budget in money cannot be enforced: set \`prices\` in navigator.config or, for a worker that your own code makes, of createModels, or give the budget in tokens.`,
    { models: unknown },
  );
}

/** The usage that the provider reports. Unreported usage counts as the whole reservation. */
function usedBy({ tokens }: ModelReply): { tokens?: number; cost?: number } {
  const { input, output, total_cost } = tokens ?? {};
  return {
    ...(input === undefined && output === undefined ? {} : { tokens: (input ?? 0) + (output ?? 0) }),
    ...defined({ cost: total_cost }),
  };
}
