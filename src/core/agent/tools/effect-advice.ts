import type { ToolSpec } from "../../calls/tool";
import { IDENTITY_ADVICE, lacksIdentity } from "../../effects/effect-settings";
import { type AgentDefinition, isAgentTool, isWorkerTool } from "../definition/definition";
import { withToolSpecs } from "./with-specs";

/** A setting about effects that does nothing, or that is missing. It is no mistake, and nothing is refused for it. */
export interface EffectAdvice {
  tool: string;
  /** The agent whose setting it is; absent = the tool itself. */
  agent?: string;
  message: string;
}

const OF_EFFECTS = ["identity", "identity_scope", "repeatable", "on_same_effect"] as const;

/** @param isCode the tool is a function of the project, so it can have a `lookup` */
export function toolAdvice(spec: ToolSpec, isCode: boolean): EffectAdvice[] {
  const advice: EffectAdvice[] = [];
  const unused = spec.effect === "read" ? OF_EFFECTS.filter((setting) => spec[setting] !== undefined) : [];
  if (unused.length > 0)
    advice.push({ tool: spec.name, message: `a read has no effect, so ${unused.join(", ")} does nothing` });
  if (lacksIdentity(spec)) advice.push({ tool: spec.name, message: IDENTITY_ADVICE });
  if (isCode && spec.effect === "irreversible" && !spec.lookup)
    advice.push({
      tool: spec.name,
      message: "it has no lookup, so a person is asked when the outcome of a call is lost",
    });
  return advice;
}

const OF_AGENTS = [...OF_EFFECTS, "version", "on_other_effect", "lookup", "undo"] as const;

/**
 * The settings of an agent, and of the agents among its tools, that do nothing: they are laxer than the tool's, or only
 * the tool can have them.
 *
 * @param agent before the specs of tools are added
 */
export function agentAdvice(agent: AgentDefinition, specs: readonly ToolSpec[]): EffectAdvice[] {
  const names = specs.map(({ name }) => name);
  const described = withToolSpecs(agent, specs).tools;
  return agent.tools.flatMap((own, i) => {
    if (isAgentTool(own)) return agentAdvice(own.agent, specs);
    if (!isWorkerTool(own) || typeof own === "string" || !names.includes(own.name)) return [];
    const becomes = described[i] as ToolSpec;
    const ignored = OF_AGENTS.filter((setting) => {
      const [wanted, has] = [own[setting], becomes[setting]].map((value) => JSON.stringify(value));
      return wanted !== undefined && wanted !== has;
    });
    return ignored.map((setting) => ({
      tool: own.name,
      agent: agent.name ?? "",
      message: `${setting} is ignored: ${reasonFor(setting, becomes)}`,
    }));
  });
}

function reasonFor(setting: (typeof OF_AGENTS)[number], becomes: ToolSpec): string {
  const value = becomes[setting];
  if (["version", "repeatable", "lookup", "undo"].includes(setting)) return "only the tool itself can have it";
  if (setting === "identity")
    return `the tool's own is ${value === false ? "all arguments" : (value as string[]).join(", ")}`;
  return `the tool is stricter, ${String(value)}`;
}
