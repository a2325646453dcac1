import type { AgentDefinition } from "../core/agent/definition/definition";
import { NavigatorError } from "../core/base/navigator-error";
import type { Project } from "./load";

/** An agent by its name in the project; never a file. @throws NavigatorError `agent_not_found` with the names that there are */
export function knownAgent({ agents }: Pick<Project, "agents">, name: string): AgentDefinition {
  if (Object.hasOwn(agents, name)) return agents[name] as AgentDefinition;
  const names = Object.keys(agents);
  throw new NavigatorError("agent_not_found", `The project has no agent "${name}".`, {
    hint: names.length === 0 ? "It has no agents: see navigator.config." : `Agents: ${names.join(", ")}`,
    details: { agents: names },
  });
}
