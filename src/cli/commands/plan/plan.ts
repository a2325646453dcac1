import { missionEnd } from "../../../client/history";
import type { PlanHandle, PlanRunResult } from "../../../client/plan-client";
import type { AgentTool } from "../../../core/agent/definition/definition";
import { NavigatorError } from "../../../core/base/navigator-error";
import { checkPlan, type PlanCheck, type PlanFinding } from "../../../core/plan/check/check-plan";
import type { WorstCost } from "../../../core/plan/check/cost";
import { describedTools } from "../../../core/plan/definition/available-tools";
import { knownPrices } from "../../../models/known-prices";
import { placed } from "../../../node/file-mistakes";
import { currentPerson } from "../../../node/identity/key-store";
import { loadConfig } from "../../../node/settings";
import { shellWord } from "../../../node/shell-word";
import { loadProject } from "../../../project/load";
import { wholeNumber } from "../../input/arguments";
import { type PlanFile, readPlanFile } from "../../input/plan-file";
import { blockedLines } from "../../session/notices";
import { withSession } from "../../session/session";
import { EventTeller } from "../../session/watch-plan";
import { costLines } from "../../show/render-definition";
import { failureLines } from "../../show/render-missions";
import { planStatusText } from "../../show/render-plan-status";
import type { CommandSpec, TopCommands } from "../../terminal/command";
import { EXIT } from "../../terminal/exit";
import type { CommandIo } from "../../terminal/io";
import type { Colors } from "../../terminal/render";
import { planRunCommands } from "./run";

/** `navigator plan check`: checks a plan and its cost before anything runs. */
const planCheckCommands: readonly CommandSpec[] = [
  {
    name: "check <file>",
    about: "check a plan for errors and warnings, and show its maximum cost; - reads stdin; needs no server",
    options: [
      ["--config <file>", "the project whose tools and prices are used (default: searched in this folder)"],
      ["--model <name>", "model, if the options name none (default: NAVIGATOR_MODEL)"],
    ],
    notes: `A plan is YAML or JSON: {agents, tasks}, as a model writes it, or {plan, options}.
The tools are those of the options, else those of the project; without either, tool names are not checked.
Exit code 2 means that the plan has mistakes; warnings do not count.`,
    examples: ["navigator plan check examples/plans/lamps.yaml"],
    run: async (io: CommandIo, file: string, { config = ".", ...options }: { config?: string; model?: string }) => {
      const read = readPlanFile(file);
      const checked = await checkPlanFile(read, { model: loadConfig().model, ...options, project: config });
      io.result(checked, () => planCheckText(checked, io.color));
      if (!checked.ok) process.exitCode = EXIT.usage;
    },
  },
];

/** A checked plan as text: the findings, then the cost. */
export function planCheckText({ file, ok, tasks, findings, cost, score }: CheckedPlanFile, color: Colors): string {
  const head = ok
    ? `${color.green("ok")} ${file}  ${color.dim(`${tasks} ${tasks === 1 ? "task" : "tasks"}, ${score} of 10`)}`
    : `${color.red("error")} ${file} cannot be run`;
  const lines = findings.map(({ severity, category, message, line }) => {
    const paint = severity === "error" ? color.red : severity === "warning" ? color.yellow : color.dim;
    const place = line === undefined ? "" : `line ${line}: `;
    return `  ${place}${paint(`${severity} ${category}`)}: ${message}`;
  });
  return [head, ...lines, ...(cost === null ? [] : worstText(cost))].join("\n");
}

function worstText(worst: WorstCost): string[] {
  const { model_calls, agent_runs, with_replans } = worst;
  return [
    `  at most ${model_calls} model calls in ${agent_runs} agent runs; with all repairs ${with_replans.model_calls} in ${with_replans.agent_runs}`,
    ...costLines(worst, worst.uncounted),
  ];
}

/** `navigator plan show` and `navigator plan events`: the state and the events of a plan. They need a worker. */
const planShowCommands: readonly CommandSpec[] = [
  {
    name: "show <id>",
    about: "show the state of a plan: its tasks and its open reviews",
    examples: ["navigator plan show lamps"],
    run: (io: CommandIo, id: string) => {
      const work = async ({ client }: import("../../session/session").Session) => {
        const plan = client.plan(id);
        const [status, reviews, results, blocked] = await Promise.all([
          plan.status(),
          plan.reviews(),
          plan.results(),
          client.blocked(plan.workflow.workflowId),
        ]);
        const ended = await plan.ended();
        const open = ended === null ? reviews.filter((review) => review.status === "open") : [];
        const result = ended === null ? null : await endedPlanResult(plan);
        const found = blocked.length === 0 ? {} : { blocked };
        const answer = { id: plan.id, ...status, ended, reviews: open, results, result, ...found };
        io.result(answer, () =>
          [
            planStatusText({ ...status, ended, result }, open, io.color, currentPerson(client.project)),
            ...blockedLines(blocked),
          ].join("\n"),
        );
        // A plan that was terminated has no result with a reason.
        if (ended !== null && result === null) await reportFailure(io, plan);
        return EXIT.done;
      };
      return withSession(io, "ask", work);
    },
  },
  {
    name: "events <id>",
    about: "the events of a plan, line by line; with --json as JSON Lines",
    options: [
      ["--from <number>", "start at this event (the first has number 0)", "0"],
      ["--follow", "follow new events until the plan ends"],
    ],
    examples: ["navigator plan events lamps --from 12 --follow"],
    run: (io: CommandIo, id: string, options: { from: string; follow?: boolean }) => {
      const from = wholeNumber("--from", options.from, 0) ?? 0;
      return withSession(io, "read", async ({ client }) => {
        const teller = new EventTeller(io);
        const plan = client.plan(id);
        if (options.follow) {
          for await (const event of plan.follow(from)) teller.show(event);
          await reportFailure(io, plan);
          return EXIT.done;
        }
        const { events, dropped } = await plan.events(from);
        if (dropped > 0)
          io.err(`${dropped} older events are no longer kept: navigator log ${shellWord(plan.workflow.workflowId)}`);
        for (const event of events) teller.show(event);
        await reportFailure(io, plan);
      });
    },
  },
];

/** `navigator plan`: plans of tasks for agents. */
export const planCommands: TopCommands = {
  plan: {
    commands: [...planCheckCommands, ...planRunCommands, ...planShowCommands],
  },
};

/** The events show which task failed, and this line shows how the plan ended. Machines get events only. */
async function reportFailure(io: CommandIo, { workflow }: PlanHandle): Promise<void> {
  for (const line of failureLines(workflow.workflowId, await missionEnd(workflow), io.color)) io.out(line);
}

/** The result of an ended plan; null for one that was cancelled or terminated. */
async function endedPlanResult(plan: PlanHandle): Promise<PlanRunResult | null> {
  try {
    return await plan.result();
  } catch (error) {
    if (error instanceof NavigatorError && error.exitCode === EXIT.failed) return null;
    throw error;
  }
}

/** The findings of `plan check` in a file: `line` and `column` (1-based) are positions in the file. */
interface CheckedPlanFile extends Omit<PlanCheck, "findings"> {
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
