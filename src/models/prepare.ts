import { ModelError, type ModelErrorClass } from "./model";
import type { ModelResolver } from "./resolver";

/** A model by the name that somebody gave it, and whether this process could ask it. */
export type PreparedModel =
  | { name: string; usable: true }
  | { name: string; usable: false; errorClass: ModelErrorClass; problem: string };

/** Makes the models ready that are named somewhere, without asking any of them: a problem is known before a mission meets it. */
export function prepareModels(models: ModelResolver, names: Iterable<string>): PreparedModel[] {
  return [...new Set(names)].map((name) => {
    try {
      models.resolve(name);
      return { name, usable: true };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      return { name, usable: false, errorClass: error.errorClass, problem: error.message };
    }
  });
}
