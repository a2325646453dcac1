import { type AgentTool, isWorkerTool } from "../../agent/definition/definition";
import { GREP_TOOLS } from "../../agent/tools/grep";
import type { Json } from "../../base/json";
import { escapeLineBreaks, joinLines } from "../../base/one-line";
import type { PlanOptions } from "../definition/options";
import { plainText } from "../definition/plain-text";
import type { PlanIssue, PlanTask } from "../definition/plan";
import { type ExecutionState, MISSION_IMPOSSIBLE } from "../run/execution-state";
import type { ReplanContext, ReplanRecord } from "../run/result";
import { FORMAT, HOW_TO_PLAN } from "./planner-guide";
import { short } from "./replan-history";

/** The prompts of the planner (plan reference, section 5.3). */

const sections = (...parts: (string | null)[]): string => parts.filter((part) => part).join("\n\n");

/** Writes the prompt for a first plan, with the issues of the last try. */
export function planPrompt(mission: string, options: PlanOptions, issues: readonly PlanIssue[]): string {
  return sections(
    "Make a plan for this mission.",
    `## Mission\n${mission}`,
    toolsSection(options),
    constraintsSection(options),
    issuesSection("Your last plan cannot be run. Mend all of this:", issues),
    HOW_TO_PLAN,
    FORMAT,
  );
}

/** Writes the prompt for the repair of a plan, with its results so far and its failed task. */
export function repairPrompt(
  options: PlanOptions,
  { mission, plan, completed, history }: ExecutionState,
  context: ReplanContext,
  issues: readonly PlanIssue[],
): string {
  return sections(
    "A plan did not work out. Make one that does.",
    `## Mission\n${mission}`,
    constraintsSection(options),
    toolsSection(options),
    doneSection(completed),
    failedSection(context),
    planSection(plan.tasks),
    historySection(history),
    issuesSection("Your last repair cannot be used. Mend all of this:", issues),
    HOW_TO_REPAIR,
    HOW_TO_PLAN,
    FORMAT,
  );
}

const HOW_TO_REPAIR = `## How to repair
- Give the whole plan, not the changes alone. Tasks that are done stay in it under the same ids: they are not run again.
- Change what is done, not the words for it: another source, another tool, smaller steps, a check that fits the data.
- Ask first why it failed. If the data was not there, the task before it must change, not the check.
- If there is no way at all, give a plan with one task, its id "${MISSION_IMPOSSIBLE}", whose input asks an agent to
  explain why.`;

/** The tools that the planner may use, described by the options, by the tools themselves, or by their family. */
function toolsSection({ available_tools, base_tools, builtin_tools }: PlanOptions): string {
  const lines = new Map(Object.entries(available_tools));
  for (const tool of base_tools) {
    const { name, text } = described(tool);
    if (!lines.has(name)) lines.set(name, text);
  }
  if (builtin_tools.includes("grep"))
    for (const { spec } of GREP_TOOLS)
      if (!lines.has(spec.name)) lines.set(spec.name, `${spec.description} ${spec.signature}`);
  if (lines.size === 0) return "## Tools\nThere are no tools: agents can only think, compute and write.";
  const list = [...lines].map(([name, text]) => (text === "" ? `- ${name}` : `- ${name}: ${joinLines(text)}`));
  return `## Tools\n${list.join("\n")}`;
}

function described(tool: AgentTool): { name: string; text: string } {
  if (typeof tool === "string") return { name: tool, text: "" };
  const { name, description = "" } = tool;
  const signature = isWorkerTool(tool) ? (tool.signature ?? "") : "";
  const effect = isWorkerTool(tool) && tool.effect === "irreversible" ? "It cannot be taken back." : "";
  return { name, text: [description, signature, effect].filter((part) => part !== "").join(" ") };
}

const constraintsSection = ({ constraints }: PlanOptions): string | null =>
  constraints === null ? null : `## Constraints\n${constraints}`;

const issuesSection = (heading: string, issues: readonly PlanIssue[]): string | null =>
  issues.length === 0
    ? null
    : `## Mistakes\n${heading}\n${issues.map(({ category, message }) => `- ${category}: ${joinLines(message)}`).join("\n")}`;

function doneSection(completed: { [task_id: string]: Json }): string {
  const lines = Object.entries(completed).map(([id, value]) => `- ${id}: ${shortLine(value, 200)}`);
  return lines.length === 0 ? "## Done\nNothing." : `## Done\n${lines.join("\n")}\nKeep these ids.`;
}

const failedSection = ({ task_id, diagnosis, task_output, task_input }: ReplanContext): string =>
  [
    `## What failed\nTask: ${task_id}`,
    `Input: ${unbraced(shortLine(task_input, 200))}`,
    `Why: ${escapeLineBreaks(diagnosis)}`,
    `It gave: ${shortLine(task_output, 500)}`,
  ].join("\n");

function planSection(tasks: readonly PlanTask[]): string {
  const lines = tasks.map(({ id, input, depends_on }) => {
    const after = depends_on.length === 0 ? "" : ` (after ${depends_on.join(", ")})`;
    return `- ${id}${after}: ${unbraced(shortLine(input, 200))}`;
  });
  return `## The plan so far\n${lines.join("\n")}`;
}

/** A value from outside stays on its line: it could look like another task that is done. */
const shortLine = (value: Json, chars: number): string => escapeLineBreaks(short(value, chars));

/** A quoted template must not be expanded. */
const unbraced = (text: string): string => plainText(text).replaceAll("{{", "{ {").replaceAll("}}", "} }");

function historySection(history: readonly ReplanRecord[]): string | null {
  if (history.length === 0) return null;
  const lines = history.map(({ attempt, task_id, input, approach, output, diagnosis }) => {
    const [asked, by, gave, why] = [unbraced(input), approach, output, diagnosis].map(escapeLineBreaks);
    return `${attempt}. ${task_id}: ${asked}\n   ${by}\n   gave ${gave}\n   failed: ${why}`;
  });
  return `## Tried before\n${lines.join("\n")}\nDo none of this again. Find what all of it has in common: the cause may lie in a task before the one that failed.`;
}
