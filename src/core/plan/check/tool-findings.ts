import type { AgentTool } from "../../agent/definition/definition";
import { canBeUndone, isWorkerTool, mayBeTakenBack } from "../../agent/definition/definition";
import { GREP_TOOLS } from "../../agent/tools/grep";
import { IDENTITY_ADVICE, lacksIdentity } from "../../effects/effect-settings";
import { tasksById } from "../definition/parse";
import { agentOf, type Plan, type PlanTask } from "../definition/plan";
import { nameOfTool } from "../run/plan-agents";
import { ancestorsOf } from "./ancestry";
import type { CheckWorld, Finder } from "./finding";
import { programUse } from "./program-forms";

/** Names that have a meaning in programs: a tool of that name could not be distinguished from data. */
const DATA_NAMES = ["input", "results", "is_synthesis_gate"];

/** Finds tools of a plan that are missing, lost, badly named or cannot be undone. */
export function toolFindings(plan: Plan, { options, tools }: CheckWorld, finder: Finder): void {
  for (const name of (tools ?? options.base_tools).map(nameOfTool).filter((one) => DATA_NAMES.includes(one)))
    finder.error("tool_name_clash", null, `A tool cannot be called "${name}": that is the name of data in a plan.`);
  if (tools !== null)
    missingTools(plan, new Set([...tools.map(nameOfTool), ...builtin(options.builtin_tools)]), finder);
  lostTools(plan, finder);
  irreversibleFindings(plan, tools ?? options.base_tools, finder);
  undoFindings(plan, tools ?? options.base_tools, finder);
  identityFindings(plan, tools ?? options.base_tools, finder);
}

/** A task whose irreversible calls are compared by all of their arguments, also by texts. */
function identityFindings(plan: Plan, tools: readonly AgentTool[], finder: Finder): void {
  const unnamed = tools.flatMap((tool) =>
    typeof tool !== "string" && isWorkerTool(tool) && lacksIdentity(tool) ? [nameOfTool(tool)] : [],
  );
  for (const task of plan.tasks)
    for (const name of mayCall(plan, task).filter((one) => unnamed.includes(one)))
      finder.add("warning", "no_identity", task.id, `Task "${task.id}" may call ${name}; ${IDENTITY_ADVICE}.`);
}

/** A task that shall be undone, with tools that cannot take anything back. */
function undoFindings(plan: Plan, tools: readonly AgentTool[], finder: Finder): void {
  const lasting = new Set(tools.flatMap((tool) => (canBeUndone(tool) ? [] : [nameOfTool(tool)])));
  for (const task of plan.tasks.filter(({ on_failure }) => on_failure === "undo")) {
    const used = mayCall(plan, task).filter((name) => lasting.has(name));
    if (used.length === 0) continue;
    const message = `Task "${task.id}" has on_failure undo, and ${used.join(", ")} cannot take anything back: what it does remains.`;
    finder.add("warning", "no_undo", task.id, message, "on_failure");
  }
}

const builtin = (families: readonly string[]): string[] =>
  families.includes("grep") ? GREP_TOOLS.map(({ spec }) => spec.name) : [];

function missingTools(plan: Plan, known: ReadonlySet<string>, finder: Finder): void {
  for (const [name, { tools }] of Object.entries(plan.agents))
    for (const tool of tools.filter((one) => !known.has(one))) {
      const all = known.size === 0 ? "There are none." : `There are: ${[...known].join(", ")}.`;
      finder.found.push({
        severity: "error",
        category: "missing_tool",
        message: `The agent "${name}" names the tool "${tool}", which does not exist. ${all}`,
        task_id: plan.tasks.find(({ agent }) => agent === name)?.id ?? null,
        path: finder.agentPath(name),
      });
    }
}

function lostTools(plan: Plan, finder: Finder): void {
  for (const { id, agent, type, output } of plan.tasks) {
    const { tools } = agentOf(plan, agent);
    if (type !== "task" || output !== "text" || tools.length === 0) continue;
    const message = `Task "${id}" has output text, so its agent "${agent}" cannot use its tools: ${tools.join(", ")}.`;
    finder.add("warning", "tools_lost", id, message, "output");
  }
}

/** An irreversible call needs a person's approval: of the tool itself, or in a review that can end the plan. */
function irreversibleFindings(plan: Plan, tools: readonly AgentTool[], finder: Finder): void {
  const dangerous = new Map(tools.flatMap((tool) => (mayBeTakenBack(tool) ? [] : [[nameOfTool(tool), tool]])));
  if (dangerous.size === 0) return;
  const byId = tasksById(plan);
  const ancestors = ancestorsOf(plan);
  for (const task of plan.tasks) {
    const used = mayCall(plan, task).filter((name) => dangerous.has(name));
    if (used.length === 0) continue;
    const before = [...(ancestors.get(task.id) ?? [])].flatMap((id) => byId.get(id) ?? []);
    const reviews = before.filter(({ type }) => type === "human_review");
    if (reviews.some(canStop)) continue;
    const what = `Task "${task.id}" may call ${used.join(", ")}, which cannot be taken back`;
    if (reviews.length === 0)
      finder.error("unreviewed_irreversible", task.id, `${what}, and no person is asked before.`);
    else
      finder.error(
        "review_without_effect",
        task.id,
        `${what}. The review "${reviews.map(({ id }) => id).join(", ")}" before it asks a person, but the plan continues whatever the answer: give it a verification that is true only for a yes.`,
      );
  }
}

/** Tools that a task's program or its agent can call. */
export function mayCall(plan: Plan, { type, agent, input, output }: PlanTask): string[] {
  if (type === "direct") return typeof input === "string" ? programUse(input).tools : [];
  return type === "task" && output !== "text" ? agentOf(plan, agent).tools : [];
}

/** Whether a rejection can prevent the tasks after it. */
function canStop({ verification, on_verification_failure, on_failure, critical }: PlanTask): boolean {
  if (verification === null) return false;
  if (on_verification_failure === "replan" || on_failure === "replan") return true;
  return on_verification_failure !== "skip" && critical && on_failure !== "skip";
}
