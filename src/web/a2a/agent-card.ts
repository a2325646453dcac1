import type { AgentCard, AgentSkill } from "@a2a-js/sdk";
import { type AgentDefinition, agentSignature } from "../../core/agent/definition/definition";
import type { JsonObject } from "../../core/base/json";
import { sampleRecord } from "../../core/signature/example";
import { outputSchema, parametersSchema } from "../../core/signature/json-schema/write-schema";
import { knownAgent } from "../../project/known-parts";
import type { WebContext } from "../context/context";
import { isProgramMode } from "../routes/fronts/front-mission";
import { JSON_TYPE, TEXT_TYPE } from "./parts";

/** Where A2A is served: JSON-RPC at the path itself, HTTP+JSON below it. */
export const A2A_PATH = "/api/a2a";
/** The versions of the protocol that are spoken. A request without a version is of 0.3. */
export const A2A_VERSION = "1.0";
export const LEGACY_VERSION = "0.3";

export interface CardAddress {
  /** `https://missions.example.com` */
  origin: string;
  /** The card of this agent alone; undefined: of the project. */
  skill?: string | undefined;
}

/**
 * What the project offers to other agents: each of its agents is a skill.
 *
 * @throws NavigatorError `agent_not_found`
 */
export function agentCard({ project, version }: WebContext, { origin, skill }: CardAddress): AgentCard {
  const agents = Object.entries(skill === undefined ? project.agents : { [skill]: knownAgent(project, skill) });
  const name = project.name ?? "navigator";
  const one = agents.length === 1 ? agents[0]?.[1] : undefined;
  const at = { url: `${origin}${A2A_PATH}`, tenant: skill ?? "" };
  return {
    name: skill ?? name,
    description: one?.description ?? `The agents of the project ${name}. Each is a skill: name it in metadata.skill.`,
    version,
    provider: undefined,
    supportedInterfaces: [
      { ...at, protocolBinding: "JSONRPC", protocolVersion: A2A_VERSION },
      { ...at, protocolBinding: "HTTP+JSON", protocolVersion: A2A_VERSION },
      { ...at, protocolBinding: "JSONRPC", protocolVersion: LEGACY_VERSION },
    ],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions: [] },
    securitySchemes: {
      bearer: {
        scheme: {
          $case: "httpAuthSecurityScheme",
          value: {
            scheme: "Bearer",
            bearerFormat: "",
            description: "A token of the project: navigator token create NAME --service",
          },
        },
      },
    },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    defaultInputModes: [TEXT_TYPE, JSON_TYPE],
    defaultOutputModes: [TEXT_TYPE, JSON_TYPE],
    skills: agents.map(([id, agent]) => skillOf(id, agent)),
    signatures: [],
  };
}

function skillOf(id: string, agent: AgentDefinition): AgentSkill {
  return {
    id,
    name: id,
    description: agent.description ?? `The agent ${id}.`,
    tags: [isProgramMode(agent) ? "mission" : "conversation"],
    examples: [],
    inputModes: inputModes(agent),
    outputModes: isProgramMode(agent) ? [JSON_TYPE, TEXT_TYPE] : [TEXT_TYPE],
    securityRequirements: [],
  };
}

const inputModes = (agent: AgentDefinition): string[] => {
  const fields = agentSignature(agent)?.parameters ?? [];
  return fields.length > 0 ? [JSON_TYPE, TEXT_TYPE] : [TEXT_TYPE, JSON_TYPE];
};

/** The card for those who are let in: what each skill takes and gives as well, with an example of its input. */
export function extendedCard(web: WebContext, place: CardAddress): AgentCard {
  const card = agentCard(web, place);
  return {
    ...card,
    skills: card.skills.map((skill) => {
      const signature = agentSignature(knownAgent(web.project, skill.id));
      if (signature === undefined) return skill;
      const takes: JsonObject = parametersSchema(signature.parameters);
      const shown = { input: takes, output: outputSchema(signature.output) };
      return {
        ...skill,
        description: `${skill.description}\n\nJSON Schema of input and output: ${JSON.stringify(shown)}`,
        examples: [JSON.stringify(sampleRecord(signature.parameters))],
      };
    }),
  };
}
