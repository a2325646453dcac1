import path from "node:path";
import type { AgentDefinition } from "../../src/core/agent/definition/definition";
import { parseScript } from "../../src/models";
import { readDataFile } from "../../src/node/data-file";
import { loadProject } from "../../src/project/load";
import type { TestMission } from "../../src/testing";
import type { Tool } from "../../src/tools";

/** An example's agents, with its own tools and script, for missions in memory. */
export async function example(
  name: string,
): Promise<{ agent(name: string): Promise<AgentDefinition>; mission: TestMission & { tools: Tool[] } }> {
  const folder = path.join(__dirname, "../../examples", name);
  const project = await loadProject(folder, { env: {} });
  const script = parseScript(readDataFile(path.join(folder, "script.yaml")), "script.yaml");
  const tools = project.tools.names().map((tool) => project.tools.get(tool) as Tool);
  return { agent: project.agent, mission: { script, tools } };
}
