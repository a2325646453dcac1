import { defined } from "../../base/defined";
import { NavigatorError } from "../../base/navigator-error";
import type { ToolSpec } from "../../calls/tool";
import { toolVersion } from "../../effects/effect-id";
import {
  IDENTITY_SCOPES,
  identityProblem,
  ON_OTHER_EFFECT,
  ON_SAME_EFFECT,
  onOtherEffect,
  onSameEffect,
  scopeOf,
  TOOL_EFFECTS,
} from "../../effects/effect-settings";
import { laxerProblem, stricterApproval } from "../../review/stricter-approval";
import type { AgentDefinition } from "../definition/definition";
import { isAgentTool, isWorkerTool } from "../definition/definition";
import { toolTermsProblem } from "../definition/parse-agent";

/**
 * The agent with the specs of these tools added. An unknown name stays, because its worker may know it. The agent's own
 * settings for a tool are added, and can make it stricter, not laxer (agent reference, section 4.2).
 *
 * @throws NavigatorError `invalid_agent`: the agent's identity of a tool names arguments that the tool does not have; its
 *   approval of a tool is laxer than the tool's own, or asks others; nobody could approve a call of the tool, by its terms and
 *   the agent's
 */
export function withToolSpecs(agent: AgentDefinition, specs: readonly ToolSpec[]): AgentDefinition {
  const known = new Map(specs.map((spec) => [spec.name, spec]));
  const tools = agent.tools.map((tool) => {
    if (isAgentTool(tool)) return { ...tool, agent: withToolSpecs(tool.agent, specs) };
    if (!isWorkerTool(tool)) return tool;
    const spec = known.get(typeof tool === "string" ? tool : tool.name);
    if (spec === undefined) return tool;
    const whole = typeof tool === "string" ? spec : merged(spec, tool, agent);
    const problem = toolTermsProblem(agent, whole);
    if (problem === null) return whole;
    throw new NavigatorError("invalid_agent", `Agent ${agent.name ?? ""}: tools.${spec.name}.approval, ${problem}.`);
  });
  return { ...agent, tools };
}

/**
 * Only the worker declares what its code can do (`lookup`, `undo`), that every call is a new effect (`repeatable`), and
 * its arguments. The worker's version counts, so that all agents of a mission have the same effect for the same call.
 * The worker's identity counts, too; an agent may set one where the worker has none. The worker's approval stays, and
 * may become stricter.
 */
function merged(spec: ToolSpec, own: ToolSpec, { name = "" }: AgentDefinition): ToolSpec {
  const {
    version: _version,
    repeatable: _repeatable,
    lookup: _lookup,
    undo: _undo,
    undo_cost: _cost,
    takes: _takes,
    identity,
    ...settings
  } = own;
  const problem = identity ? identityProblem(identity, spec.signature) : undefined;
  if (problem !== undefined)
    throw new NavigatorError("invalid_agent", `Agent ${name}: tools.${spec.name}.identity ${problem}.`);
  const laxer = laxerProblem(spec.approval, own.approval);
  if (laxer !== null)
    throw new NavigatorError("invalid_agent", `Agent ${name}: tools.${spec.name}.approval, ${laxer}.`);
  const effect = strictest(TOOL_EFFECTS, spec.effect, own.effect);
  const { repeatable, ...rest } = spec;
  return {
    ...rest,
    ...settings,
    effect,
    version: toolVersion(spec),
    ...defined({
      approval: stricterApproval(spec.approval, own.approval),
      identity: spec.identity ?? identity,
      identity_scope: wider(spec, { ...own, effect, identity: spec.identity ?? identity }),
      // An agent's rule for the same effect makes a repeatable tool stricter.
      on_same_effect:
        own.on_same_effect && strictest(ON_SAME_EFFECT, onSameEffect({ ...spec, effect }), own.on_same_effect),
      on_other_effect: own.on_other_effect && strictest(ON_OTHER_EFFECT, onOtherEffect(spec), own.on_other_effect),
      repeatable: own.on_same_effect === undefined || own.on_same_effect === "run" ? repeatable : undefined,
    }),
  };
}

/** The scope of a tool with what an agent adds to it. */
function wider({ identity_scope }: ToolSpec, { repeatable: _, ...own }: ToolSpec): ToolSpec["identity_scope"] {
  const asked = scopeOf({ ...own, ...defined({ identity_scope: own.identity_scope ?? identity_scope }) });
  return asked && strictest(IDENTITY_SCOPES, identity_scope ?? "mission", asked);
}

/** Of words from the loosest to the strictest. */
const strictest = <Word>(words: readonly Word[], a: Word, b: Word): Word =>
  words[Math.max(words.indexOf(a), words.indexOf(b))] as Word;
