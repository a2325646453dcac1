import { createModels, installedProviders, type ModelResolver, prepareModels, providerStates } from "../../models";
import type { Config } from "../../node/settings";
import type { Project } from "../../project/load";
import type { Check } from "../../server/diagnose";

/** Reports for `navigator doctor` which models are available. Keys are shown by name, never by value. */
export function checkModels(config: Pick<Config, "model">, project: Project | null, env: NodeJS.ProcessEnv): Check[] {
  const models = project?.models ?? createModels({ env });
  return [
    checkProviders(models, env, project?.folder ?? "."),
    checkModel(config.model, models),
    ...checkAgents(project),
  ];
}

function checkProviders(models: ModelResolver, env: NodeJS.ProcessEnv, folder: string): Check {
  const packages = installedProviders(folder, env).map(({ provider, set, missing }) => ({
    provider,
    package: `@ai-sdk/${provider}`,
    usable: missing === undefined,
    set: set === undefined ? [] : [set],
    missing: missing === undefined ? [] : [missing],
  }));
  const states = [...providerStates(env, folder).map((state) => ({ ...state, package: undefined })), ...packages];
  const usable = states
    .filter((state) => state.usable)
    .map(({ provider, package: from, set }) =>
      nameWithNotes(provider, [
        ...(from === undefined ? [] : [from]),
        ...(set.length === 0 ? [] : [`${set.join(", ")} set`]),
      ]),
    );
  const own = models.own ?? [];
  const found = [...usable, ...own.map((name) => `${name} (the project's own)`)].join(", ");
  const missing = states
    .filter((state) => !state.usable)
    .map(
      ({ provider, package: from, missing }) =>
        `${nameWithNotes(provider, from === undefined ? [] : [from])} needs ${missing.join(", ")}`,
    );
  return {
    name: "Model providers",
    state: found === "" ? "note" : "ok",
    found: `${found === "" ? "none is configured here" : found}${missing.length === 0 ? "" : `; ${missing.join(", ")}`}`,
  };
}

const nameWithNotes = (name: string, about: string[]): string =>
  about.length === 0 ? name : `${name} (${about.join(", ")})`;

function checkModel(model: string | null, models: ModelResolver): Check {
  const name = "Model";
  if (model === null)
    return {
      name,
      state: "note",
      found: "NAVIGATOR_MODEL not set",
      hint: "Set NAVIGATOR_MODEL=provider/model and the provider's key. Without it, the demo uses the built-in scripted model.",
    };
  const [prepared] = prepareModels(models, [model]);
  if (prepared === undefined || prepared.usable) return { name, state: "ok", found: `${model} is available` };
  return { name, state: "note", found: `${model} is not available here`, hint: prepared.problem };
}

/** Agents that name unavailable models. Short names of a registry are resolved by the run. */
function checkAgents(project: Project | null): Check[] {
  const agents = Object.entries(project?.agents ?? {});
  const isFullName = (name: string) => /[/:]/.test(name) || name === "scripted";
  const problems = agents.flatMap(([agent, { model }]) =>
    prepareModels((project as Project).models, [model ?? []].flat().filter(isFullName)).flatMap((prepared) =>
      prepared.usable ? [] : [{ agent, ...prepared }],
    ),
  );
  if (problems.length === 0) return [];
  return [
    {
      name: "Agents' models",
      state: "note",
      found: problems.map(({ agent, name }) => `${agent}: ${name} is not available here`).join("; "),
      hint: [...new Set(problems.map(({ problem }) => problem))].join(" "),
    },
  ];
}
