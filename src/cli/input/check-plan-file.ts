import type { AgentTool } from "../../core/agent/definition/definition";
import { checkPlan, type PlanCheck, type PlanFinding } from "../../core/plan/check/check-plan";
import { describedTools } from "../../core/plan/definition/available-tools";
import { knownPrices } from "../../models/known-prices";
import { placed } from "../../node/file-mistakes";
import { loadProject } from "../../project/load";
import type { PlanFile } from "./plan-file";

/** What `plan check` says about a file: `line` and `column` (1-based) are those of the finding in the file. */
export interface CheckedPlanFile extends Omit<PlanCheck, "findings"> {
  file: string;
  tasks: number;
  findings: (PlanFinding & { line?: number; column?: number })[];
}

/** Checks a plan file with the tools and prices of its options and of the project. */
export async function checkPlanFile(
  { name, text, parsed, options, given, prefix }: PlanFile,
  { project: folder, model }: { project: string; model?: string | null },
): Promise<CheckedPlanFile> {
  const project = await loadProject(folder);
  try {
    const llm = options.llm ?? model ?? null;
    const names = [llm ?? [], options.quality_gate_llm ?? []].flat().map((one) => options.llm_registry?.[one] ?? one);
    const own = given.base_tools !== undefined || given.available_tools !== undefined;
    let tools: readonly AgentTool[] | null = null;
    if (own) {
      const described = options.base_tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
      const extra = Object.keys(options.available_tools).filter((one) => !described.includes(one));
      tools = [...options.base_tools, ...describedTools(extra, options.available_tools)];
    } else if (project.configFile !== null) {
      await project.openTools();
      tools = project.tools.specs();
    }
    const check = checkPlan(parsed, {
      options: { ...options, llm },
      tools,
      prices: knownPrices(project.models, names),
      executor: true,
    });
    const inFile = check.findings.map((finding) => ({ ...finding, path: inDocument(finding.path, prefix) }));
    return { file: name, tasks: parsed.plan.tasks.length, ...check, findings: placedFindings(text, inFile) };
  } finally {
    await project.close();
  }
}

const inDocument = (path: string, prefix: string): string => (path === "" ? "" : `${prefix}${path}`);

/** Findings with their lines; errors come first. */
function placedFindings(text: string, findings: PlanFinding[]): CheckedPlanFile["findings"] {
  const found = placed(text, findings) as CheckedPlanFile["findings"];
  return (["error", "warning", "info"] as const).flatMap((severity) =>
    found.filter((one) => one.severity === severity),
  );
}
