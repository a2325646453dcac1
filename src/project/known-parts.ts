import type { AgentDefinition } from "../core/agent/definition/definition";
import { NavigatorError } from "../core/base/navigator-error";
import { type ModelResolver, prepareModels } from "../models/index";
import type { Project } from "./load";

/**
 * The name of a model that workers will call. A key or a script that is missing here may be there.
 *
 * @throws NavigatorError `invalid_input` for a name that no worker can know
 */
export function checkedModel(models: ModelResolver, name: string): string {
  const [prepared] = prepareModels(models, [name]);
  if (prepared?.usable === false && prepared.errorClass !== "config_error")
    throw new NavigatorError("invalid_input", prepared.problem, {
      hint: "A model is provider/model (as in anthropic/claude-sonnet-4-5), scripted, or scripted:FILE.",
      details: { path: "model", model: name },
    });
  return name;
}

/** An agent by its name in the project; never a file. @throws NavigatorError `agent_not_found` with the names that there are */
export function knownAgent({ agents }: Pick<Project, "agents">, name: string): AgentDefinition {
  if (Object.hasOwn(agents, name)) return agents[name] as AgentDefinition;
  const names = Object.keys(agents);
  throw new NavigatorError("agent_not_found", `The project has no agent "${name}".`, {
    hint: names.length === 0 ? "It has no agents: see navigator.config." : `Agents: ${names.join(", ")}`,
    details: { agents: names },
  });
}
