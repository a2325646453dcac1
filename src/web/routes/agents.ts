import { z } from "zod";
import { agentCost } from "../../core/agent/budget/agent-cost";
import { estimateTokens } from "../../core/agent/budget/token-counts";
import type { AgentDefinition } from "../../core/agent/definition/definition";
import { previewPrompt } from "../../core/agent/run/preview";
import { runTools } from "../../core/agent/tools/run-tools";
import { defined } from "../../core/base/defined";
import { agentWorkflowId } from "../../core/base/ids";
import type { JsonObject } from "../../core/base/json";
import { thrownText } from "../../core/base/navigator-error";
import { TOOL_EFFECTS } from "../../core/effects/effect-settings";
import { approvalTerms } from "../../core/review/policy/terms";
import { sampleRecord } from "../../core/signature/example";
import { parseSignature } from "../../core/signature/parse";
import { knownPrices } from "../../models/known-prices";
import { checkedModel, knownAgent } from "../../project/known-parts";
import type { Project } from "../../project/load";
import { openedTools } from "../../project/opened-tools";
import { shortModelNames } from "../../project/short-model-names";
import type { WebContext } from "../context/context";
import { requesterOf } from "../requests/callers";
import { endpoint } from "./endpoint";
import { shareBody, shareOf } from "./share-body";

const TAG = "Agents";

const AgentTool = z
  .object({
    name: z.string().meta({ example: "charge_card" }),
    kind: z.enum(["worker", "agent", "llm", "llm-query", "ask-person", "grep", "grep-n"]).meta({
      description:
        "`worker`: code of the project. The others are answered by agents, models, people, or the run itself",
    }),
    effect: z.enum(TOOL_EFFECTS),
    description: z.string().optional(),
    signature: z.string().optional(),
    approval: z
      .object({ assignees: z.array(z.string()).optional(), quorum: z.number().optional() })
      .optional()
      .meta({ description: "People must approve each call" }),
  })
  .meta({ id: "AgentTool" });

const ListedAgent = z
  .object({
    name: z.string().meta({ example: "charge" }),
    description: z.string().optional(),
    signature: z.string().optional().meta({ example: "(order_id :int) -> {outcome :string}" }),
    output: z.enum(["ptc_lisp", "text"]),
    model: z.array(z.string()).meta({ description: "Tried in this order; empty: the model of the project" }),
    tools: z.array(AgentTool),
  })
  .meta({ id: "Agent" });

const AgentPrice = z
  .object({
    models: z.array(z.string()),
    model_calls: z.object({ least: z.number(), most: z.number() }),
    cost: z.object({ least: z.number(), most: z.number() }).nullable().meta({
      description: "US dollars; null if the price of a model is not known",
    }),
    uncounted: z.array(z.string()).meta({ description: "Tools that ask models themselves" }),
  })
  .meta({ id: "AgentPrice" });

/** What an agent may be started with, besides its input. */
const Model = z.string().min(1).max(200).meta({ example: "anthropic/claude-sonnet-4-5" });

const agentName = z.object({ name: z.string().meta({ example: "charge" }) });

const listAgentsEndpoint = endpoint({
  method: "get",
  path: "/api/agents",
  needs: ["read"],
  operation: "listAgents",
  summary: "Lists the project's agents: inputs, results, tools and models",
  tag: TAG,
  answer: z.object({ agents: z.array(ListedAgent) }),
  tagged: true,
  run: async ({ call: { web } }) => ({
    agents: Object.entries(web.project.agents).map(([name, agent]) => listed(name, agent)),
  }),
});

const showAgentEndpoint = endpoint({
  method: "get",
  path: "/api/agents/{name}",
  needs: ["read"],
  operation: "showAgent",
  summary: "An agent, and the check of a mission: price range, and calls that need approval",
  tag: TAG,
  params: agentName,
  query: z.object({ model: Model.optional() }),
  answer: ListedAgent.extend({
    price: AgentPrice,
    tools_problem: z.string().optional().meta({ description: "Why some tools are known by their names only" }),
  }).meta({ id: "CheckedAgent" }),
  errors: ["agent_not_found", "invalid_input"],
  tagged: true,
  run: async ({ params: { name }, query, call: { web } }) => {
    knownAgent(web.project, name);
    const tools_problem = await toolsProblem(web.project);
    const agent = knownAgent(web.project, name);
    const model = query.model === undefined ? undefined : checkedModel(web.project.models, query.model);
    return { ...listed(name, agent), price: priceOf(agent, model, web), ...defined({ tools_problem }) };
  },
});

const startRunEndpoint = endpoint({
  method: "post",
  path: "/api/agents/{name}/runs",
  needs: ["start"],
  operation: "startRun",
  summary: "Starts a mission. The same id and input again finds the existing one",
  tag: TAG,
  params: agentName,
  body: z
    .strictObject({
      context: z.record(z.string(), z.json()).default({}).meta({ description: "What the agent's signature asks for" }),
      id: z.string().min(1).optional().meta({ description: "Default: a new one", example: "order-42" }),
      model: Model.optional(),
      budget: z
        .strictObject({
          tokens: z.int().positive().optional(),
          cost: z.number().positive().optional().meta({ description: "US dollars" }),
          when_spent: z.enum(["park", "end"]).optional(),
        })
        .refine(
          ({ tokens, cost }) => tokens !== undefined || cost !== undefined,
          "must limit tokens, or cost in US dollars",
        )
        .optional(),
      ...shareBody,
      join: z.boolean().optional().meta({ description: "Finds the mission of this id whatever it was started with" }),
    })
    .meta({ id: "StartRun" }),
  answer: z
    .object({
      id: z.string(),
      workflow_id: z.string().meta({ example: "shop:agent/order-42" }),
      started_before: z.boolean(),
    })
    .meta({ id: "StartedRun" }),
  status: 202,
  errors: ["agent_not_found", "invalid_input", "id_in_use", "invalid_id", "payload_too_large", "validation_error"],
  run: async ({ params: { name }, body, call }) => {
    const { client, web } = call;
    const { id, model, join, budget } = body;
    const { project } = web;
    const agent = knownAgent(project, name);
    const chosen = model === undefined ? undefined : checkedModel(project.models, model);
    const started_before = id !== undefined && (await client.has(agentWorkflowId(id, client.project)));
    const run = await client.startAgent({
      // A choice counts more than the agent's own setting.
      agent: chosen === undefined ? agent : { ...agent, model: chosen },
      context: body.context as JsonObject,
      untrusted_context: true,
      model: chosen ?? web.model,
      llm_registry: shortModelNames(project.models ?? {}),
      ...shareOf(body),
      ...defined({ id, join, budget: budget && defined(budget), requested_by: requesterOf(call) }),
    });
    return { id: run.id, workflow_id: run.workflow.workflowId, started_before };
  },
});

/** What agents there are, and how a mission is started. */
export const agentEndpoints = [listAgentsEndpoint, showAgentEndpoint, startRunEndpoint];

function listed(name: string, agent: AgentDefinition): z.infer<typeof ListedAgent> {
  const { description, signature, output, model } = agent;
  const tools = runTools(agent).map(({ kind, spec: { name: tool, effect, approval, ...spec } }) => ({
    name: tool,
    kind,
    effect,
    ...defined({
      description: spec.description,
      signature: spec.signature,
      approval: approval && shownTerms(approval),
    }),
  }));
  return { name, output, model: [model ?? []].flat(), tools, ...defined({ description, signature }) };
}

function shownTerms(approval: Parameters<typeof approvalTerms>[0]): { assignees?: string[]; quorum?: number } {
  const { assignees, quorum } = approvalTerms(approval);
  return defined({ assignees, quorum });
}

function priceOf(agent: AgentDefinition, chosen: string | undefined, { project, model }: WebContext) {
  const own = shortModelNames(project.models ?? {});
  const models = [chosen ?? agent.model ?? model].flat().map((name) => own[name] ?? name);
  const prices = project.models === undefined ? {} : knownPrices(project.models, models);
  const { system, user } = previewPrompt(agent, { context: sampleContext(agent) });
  const prompt_tokens = estimateTokens(system) + estimateTokens(user);
  return { models, ...agentCost(agent, { models, prices, prompt_tokens }) };
}

/** A made-up input, so that the first prompt has about the size that it will have. */
const sampleContext = ({ signature }: AgentDefinition): JsonObject =>
  signature === undefined ? {} : sampleRecord(parseSignature(signature).parameters);

/** Tools of sources that cannot be opened now are only names. */
async function toolsProblem(project: Project): Promise<string | undefined> {
  try {
    await openedTools(project);
    return undefined;
  } catch (error) {
    return thrownText(error);
  }
}
