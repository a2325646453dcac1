import type { Price } from "../core/calls/host";
import type { ModelResolver } from "./resolver";

/** What models cost, by name; null = nobody knows. */
export const knownPrices = (models: ModelResolver, names: readonly string[]): { [model: string]: Price | null } =>
  Object.fromEntries(names.map((name) => [name, models.price?.(name) ?? null]));
