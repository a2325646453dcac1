import type { StoredWorkflow } from "../../client/tasks/types";
import { edgesFrom, maxRetriesOf, nodeKind } from "../../core/graph/definition/schema";
import type { BackEdge, ExecutionPlan } from "../../core/graph/show/levels";
import type { ProjectCheck } from "../input/check-in-project";
import type { CheckedFile } from "../input/definition-file";
import { type Colors, renderTable } from "../terminal/render";

/** Files of definitions, each with what was found. */
export function checkText(
  files: readonly CheckedFile[],
  color: Colors,
  projectChecks: readonly (ProjectCheck | null)[] = [],
): string {
  if (files.length === 0) return "There are no definitions.";
  return files
    .flatMap(({ file, definition, warnings, mistakes }, i) => [
      definition === null
        ? `${color.red("error")} ${mistakes}`
        : `${color.green("ok")} ${file}  ${color.dim(`${definition.id}, ${Object.keys(definition.nodes).length} nodes`)}`,
      ...[...warnings, ...(projectChecks[i]?.project_warnings ?? [])].map(
        ({ code, message, line }) =>
          `  ${line === undefined ? "" : `line ${line}: `}${color.yellow(`warning ${code}`)}: ${message}`,
      ),
      ...worstText(projectChecks[i] ?? null, color),
    ])
    .join("\n");
}

function worstText(check: ProjectCheck | null, color: Colors): string[] {
  if (check === null || check.worst.agent_runs === null || check.worst.agent_runs === 0) return [];
  const { agent_runs, model_calls, subflows, uncounted } = check.worst;
  const calls = model_calls === null ? "" : `, ${model_calls} model calls`;
  const besides = [...subflows.map((node) => `the subflow ${node}`), ...uncounted];
  return [`  at most ${agent_runs} agent runs${calls} for a task`, ...costLines(check.worst, besides)].map(color.dim);
}

/** A loaded definition: what each node is, who does it, and where it leads. */
export function definitionText({ definition, version, source }: StoredWorkflow, color: Colors): string {
  const rows = Object.entries(definition.nodes).map(([id, node]) => {
    const ways = edgesFrom(definition, id).map(({ on, to }) => `${on === undefined ? "" : `${on} `}-> ${to}`);
    const about = nodeKind(node).drawing.about(node);
    return [id, node.type, about, maxRetriesOf(node) > 0 ? `${maxRetriesOf(node)}x` : "", ways.join(", ")];
  });
  return [
    `${color.bold(definition.id)}  ${definition.name}, version ${version}, from ${source}`,
    ...(definition.description === "" ? [] : [definition.description]),
    "",
    renderTable(rows, ["NODE", "TYPE", "WHO OR WHAT", "RETRIES", "WAYS OUT"]),
  ].join("\n");
}

/** Shows the levels of a plan of execution, and the edges that go back. */
export function levelsText({ levels, backEdges }: ExecutionPlan, color: Colors): string {
  const rows = levels.map((nodes, level) => [color.dim(String(level)), nodes.join(", ")]);
  const back = ({ from, to, on, kind }: BackEdge) => [`${from} -> ${to}`, on ?? "", color.dim(kind)];
  return [
    renderTable(rows),
    ...(backEdges.length === 0 ? [] : ["", color.bold("Edges that go back"), renderTable(backEdges.map(back))]),
  ].join("\n");
}

interface Cost {
  cost: number | null;
  tokens_per_call: { input: number; output: number };
}

/** @param uncounted what may cost money too, but is not in these numbers */
export function costLines({ cost, tokens_per_call: { input, output } }: Cost, uncounted: readonly string[]): string[] {
  const money =
    cost === null
      ? "unknown: a model or its price is not known"
      : `$${cost.toFixed(2)}, with ${input} tokens read and ${output} written in each call`;
  return [`  cost at most: ${money}`, ...(uncounted.length === 0 ? [] : [`  not counted: ${uncounted.join(", ")}`])];
}
