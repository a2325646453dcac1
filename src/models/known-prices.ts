import type { Price } from "../core/calls/host";
import type { ModelResolver } from "./resolver";

/** Prices of models, by name; null = not known. */
export const knownPrices = (models: ModelResolver, names: readonly string[]): { [model: string]: Price | null } =>
  Object.fromEntries(names.map((name) => [name, models.price?.(name) ?? null]));
