import { z } from "zod";
import { defined } from "../../core/base/defined";
import { type PreparedModel, prepareModels } from "../../models";
import { PRICES, PRICES_LOOKED_UP } from "../../models/prices";
import { endpoint } from "./endpoint";

const Price = z.object({
  input: z.number(),
  output: z.number(),
  cache_read: z.number().optional(),
  cache_write: z.number().optional(),
});

const KnownModel = z
  .object({
    name: z.string().meta({ example: "anthropic/claude-sonnet-4-5" }),
    price: Price.nullable().meta({ description: "US dollars for a million tokens; null: not known" }),
    named_by: z.array(z.enum(["project", "agents", "default"])).meta({
      description:
        "`project`: one of the project's models. `agents`: an agent names it. Empty: its price is known, and it may be chosen",
    }),
    problem: z.string().optional().meta({
      description: "What this server lacks to call it, such as a key. Workers may have it",
    }),
  })
  .meta({ id: "KnownModel" });

export const listModelsEndpoint = endpoint({
  method: "get",
  path: "/api/models",
  needs: ["read"],
  operation: "listModels",
  summary: "Lists models for missions with their prices, those of the project first",
  tag: "Agents",
  answer: z.object({
    models: z.array(KnownModel),
    default: z.string().meta({ description: "Of agents that name none" }),
    prices_looked_up: z.string().meta({ description: "The day of the built-in prices" }),
  }),
  tagged: true,
  run: async ({ call: { web } }) => {
    const { models, agents } = web.project;
    const groups = {
      default: [web.model],
      project: [...(models?.own ?? [])],
      agents: Object.values(agents).flatMap(({ model }) => model ?? []),
    };
    const names = [...new Set([...Object.values(groups).flat(), ...Object.keys(PRICES)])];
    const prepared = models === undefined ? [] : prepareModels(models, names);
    return {
      models: names.map((name) => ({
        name,
        price: shownPrice(models?.price?.(name)),
        named_by: (["project", "agents", "default"] as const).filter((group) => groups[group].includes(name)),
        ...defined({ problem: problemFor(prepared.find((one) => one.name === name)) }),
      })),
      default: web.model,
      prices_looked_up: PRICES_LOOKED_UP,
    };
  },
});

const problemFor = (model: PreparedModel | undefined) => (model?.usable === false ? model.problem : undefined);

const shownPrice = (price: z.infer<typeof Price> | undefined) => {
  if (price === undefined) return null;
  const { input, output, cache_read, cache_write } = price;
  return { input, output, ...defined({ cache_read, cache_write }) };
};
