import { failed, ok, type Result } from "../../base/failure";
import type { JsonObject } from "../../base/json";
import { sampleRecord } from "../../signature/example";
import type { AgentInput } from "../definition/agent-input";
import type { AgentDefinition } from "../definition/definition";
import { agentSignature } from "../definition/definition";
import { asksModels, runTools } from "../tools/run-tools";
import type { AgentHost } from "./host";
import { runAgent } from "./run";

/** The work of an agent as one program that needs no model (agent reference, section 16). */
export interface CompiledAgent {
  /** The source for the option `program` of a run. */
  source: string;
  agent: AgentDefinition;
  field_descriptions: { [field: string]: string } | null;
  /** The program asks models itself, through agents or LLM tools. */
  llm_required: boolean;
  metadata: {
    /** Ms since 1970. */
    compiled_at: number;
    tokens_used: number;
    turns: number;
    llm_model: string | null;
  };
}

/** Turns in which a program that calls tools may be corrected. */
const CORRECTIONS = 2;

/**
 * Lets a model write the program of an agent of one turn, and keeps it.
 *
 * @param options.sample what the program is tried with; what it leaves out is made up from the signature
 *
 * Reasons: `invalid_agent` for one that cannot be compiled, else what its run ended with.
 */
export async function compileOnHost(
  host: AgentHost,
  agent: AgentDefinition,
  options: Pick<AgentInput, "model" | "llm_registry"> & { sample?: JsonObject },
): Promise<Result<CompiledAgent>> {
  const { sample, ...input } = options;
  const problem = uncompilable(agent);
  if (problem !== null) return failed("invalid_agent", problem);
  const tools = runTools(agent);
  const correctable = tools.length > 0 ? { ...agent, retry_turns: CORRECTIONS } : agent;
  const context = { ...sampleRecord(agentSignature(agent)?.parameters ?? []), ...sample };
  const step = await runAgent(host, { ...input, agent: correctable, context, journal: null });
  if (step.fail) return { ok: false, fail: step.fail };
  const last = step.turns?.at(-1);
  if (!last?.program) return failed("no_code_found", "The run ended without a program.");
  return ok({
    source: last.program,
    agent,
    field_descriptions: agent.field_descriptions ?? null,
    llm_required: tools.some(asksModels),
    metadata: {
      compiled_at: host.now(),
      tokens_used: step.usage?.total_tokens ?? 0,
      turns: step.usage?.turns ?? 0,
      llm_model: last.model ?? null,
    },
  });
}

function uncompilable(agent: AgentDefinition): string | null {
  if (agent.output !== "ptc_lisp") return "only ptc_lisp agents can be compiled: a text has no program";
  if (agent.max_turns !== 1) return "only single-shot agents can be compiled: set max_turns to 1";
  const late = runTools(agent).find((tool) => tool.kind === "agent" && tool.agent.mission_timeout !== null);
  return late === undefined
    ? null
    : `the agent tool ${late.spec.name} has a mission_timeout: a compiled program has none`;
}
