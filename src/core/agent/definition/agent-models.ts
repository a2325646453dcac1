import { type AgentDefinition, isAgentTool } from "./definition";

/**
 * Under this key an agent has the model objects and functions that its `model` names. They stay in this process: a run gets
 * the names, and workers that were given the agent know them. A copy keeps them, as it keeps the schemas.
 */
const AGENT_MODELS: unique symbol = Symbol.for("navigator.agent-models") as never;

/** A model object or a function, under the name that the agent's definition has for it. */
interface ContinuedModel {
  readonly name: string;
  readonly model: object;
}

/**
 * The model setting of an agent, with names in the place of objects: `provider/modelId` for a model object of the AI
 * SDK, `function/NAME` for a function (NAME is the agent's for one without a name). Everything else stays as it is.
 */
export function namedModels(given: unknown, agentName: unknown): { model: unknown; models: ContinuedModel[] } {
  const models: ContinuedModel[] = [];
  const named = (one: unknown): unknown => {
    const name = nameOf(one, agentName);
    // A function has a length, as lists have: it would count as a list without entries.
    if (name === undefined) return typeof one === "function" ? null : one;
    models.push({ name, model: one as object });
    return name;
  };
  return { model: Array.isArray(given) ? given.map(named) : named(given), models };
}

/** Functions that are written in place get these names from JavaScript. */
const INFERRED = ["", "model", "llm"];

function nameOf(one: unknown, agentName: unknown): string | undefined {
  if (typeof one === "function") {
    const name = INFERRED.includes(one.name) ? agentName : one.name;
    return typeof name === "string" && name.trim() !== "" ? `function/${name.trim()}` : undefined;
  }
  if (!isModelObject(one)) return undefined;
  return `${one.provider}/${one.modelId}`;
}

/** Objects of classes are objects here, too. */
const isModelObject = (one: unknown): one is { provider: string; modelId: string } =>
  typeof one === "object" && one !== null && "doGenerate" in one && isText(one, "provider") && isText(one, "modelId");

const isText = (one: object, key: string): boolean => typeof (one as { [key: string]: unknown })[key] === "string";

/** The agent with the models of what it was read from, and with these. */
export function withModelsOf(
  source: object,
  agent: AgentDefinition,
  models: readonly ContinuedModel[],
): AgentDefinition {
  const all = [...ownModels(source), ...models];
  return all.length === 0 ? agent : ({ ...agent, [AGENT_MODELS]: all } as AgentDefinition);
}

const ownModels = (agent: object): readonly ContinuedModel[] =>
  (agent as { [AGENT_MODELS]?: readonly ContinuedModel[] })[AGENT_MODELS] ?? [];

/** The model objects and functions that an agent, and the agents among its tools, were defined with. */
export function continuedModels(agent: AgentDefinition): ContinuedModel[] {
  const names = [agent.model ?? []].flat();
  const below = agent.tools.flatMap((tool) => (isAgentTool(tool) ? continuedModels(tool.agent) : []));
  return [...ownModels(agent).filter(({ name }) => names.includes(name)), ...below];
}
