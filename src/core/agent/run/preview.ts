import type { JsonObject } from "../../base/json";
import type { NativeTool } from "../../calls/host";
import type { AgentDefinition } from "../definition/definition";
import { fillTemplate, parseTemplate, TemplateError, valueAt } from "../definition/template";
import { progressForModel } from "../prompt/progress";
import { openingMessage, systemPrompt } from "../prompt/prompt";
import { answerSchema, nativeTools, offeredTools, textOpening, textSystemPrompt } from "../prompt/text-prompt";
import { isSingleShot, runTools } from "../tools/run-tools";

/** The first messages that a model would be sent, and the schemas that go with them. */
export interface PromptPreview {
  system: string;
  user: string;
  tool_schemas: NativeTool[];
  /** Text mode with a structured answer. */
  schema: JsonObject | null;
}

/**
 * The prompts of an agent without a model call (agent reference, section 17). Values are inserted; placeholders
 * without a value stay as they are.
 */
export function previewPrompt(agent: AgentDefinition, options: { context?: JsonObject } = {}): PromptPreview {
  const { context = {} } = options;
  const tools = runTools(agent);
  const prompt = withValues(agent, context);
  const specs = tools.map(({ spec }) => spec);
  if (agent.output === "text")
    return {
      system: textSystemPrompt(agent, tools.length > 0),
      user: textOpening(agent, {}, context, prompt, tools.length > 0),
      tool_schemas: offeredTools(agent, specs),
      schema: answerSchema(agent) ?? null,
    };
  const journaling = agent.journaling ?? agent.plan.length > 0;
  const progress = journaling && !isSingleShot(agent) ? progressForModel(agent.plan, new Map()) : "";
  return {
    system: systemPrompt(agent, {}, context, prompt, journaling, ""),
    user: openingMessage(agent, {}, context, prompt, progress),
    tool_schemas: nativeTools(specs),
    schema: null,
  };
}

function withValues({ prompt, template }: AgentDefinition, context: JsonObject): string {
  if (template === "literal") return prompt;
  try {
    const kept = parseTemplate(prompt).map((part) =>
      part.kind === "variable" && part.name !== "." && valueAt(part.name, context) === undefined
        ? { kind: "text" as const, text: `{{${part.name}}}` }
        : part,
    );
    return fillTemplate(kept, context);
  } catch (error) {
    if (error instanceof TemplateError) return prompt;
    throw error;
  }
}
