import type { BackEdge, ExecutionPlan } from "../core/graph/levels";
import type { CheckedFile } from "./definition-file";
import { type Colors, renderTable } from "./render";

/** Files of definitions, each with what was found. */
export function checkText(files: readonly CheckedFile[], color: Colors): string {
  if (files.length === 0) return "There are no definitions.";
  return files
    .flatMap(({ file, definition, warnings, mistakes }) => [
      definition === null
        ? `${color.red("error")} ${mistakes}`
        : `${color.green("ok")} ${file}  ${color.dim(`${definition.id}, ${Object.keys(definition.nodes).length} nodes`)}`,
      ...warnings.map(
        ({ code, message, line }) =>
          `  ${line === undefined ? "" : `line ${line}: `}${color.yellow(`warning ${code}`)}: ${message}`,
      ),
    ])
    .join("\n");
}

export function levelsText({ levels, backEdges }: ExecutionPlan, color: Colors): string {
  const rows = levels.map((nodes, level) => [color.dim(String(level)), nodes.join(", ")]);
  const back = ({ from, to, on, kind }: BackEdge) => [`${from} -> ${to}`, on ?? "", color.dim(kind)];
  return [
    renderTable(rows),
    ...(backEdges.length === 0 ? [] : ["", color.bold("Edges that go back"), renderTable(backEdges.map(back))]),
  ].join("\n");
}
