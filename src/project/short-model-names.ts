import type { ModelResolver } from "../models";

/**
 * The registry of a project's runs: its own models whose names have no slash, each under its own name. A run takes other
 * short names for names of its `llm_registry`.
 */
export const shortModelNames = ({ own = [] }: Pick<ModelResolver, "own">): { [name: string]: string } =>
  Object.fromEntries(own.filter((name) => !name.includes("/")).map((name) => [name, name]));
