import { type Definition, edgesFrom } from "../../src/core/graph/definition/schema";
import { renderMermaid } from "../../src/core/graph/show/diagram";
import { catalogWorkflows } from "../../src/project/catalog";
import { markdownTable } from "./markdown-table";

/** The list of the catalog's workflows, then each with its drawing. `navigator workflow diagram` prints the instructions. */
export const catalog = (): string => `${contents()}\n\n${drawings()}`;

function contents(): string {
  const rows = catalogWorkflows().map(({ definition }) => [
    `[${definition.id}](#${anchor(definition.name)})`,
    definition.description ?? "",
    people(definition),
    subflows(definition),
  ]);
  return markdownTable(["workflow", "purpose", "asks a person at", "subflow"], rows);
}

function drawings(): string {
  return catalogWorkflows()
    .map(({ definition }) => `## ${definition.name}\n\n\`\`\`mermaid\n${shapes(definition)}\n\`\`\``)
    .join("\n\n");
}

/** The drawing without its colours: in these pages the shapes are enough. */
const shapes = (definition: Definition): string =>
  renderMermaid(definition)
    .split("\n")
    .filter((line) => !/^\s*(?:classDef|class) /.test(line))
    .join("\n");

/** As GitHub names the headings. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

/** Gates without an agent, and ends with an escalation to a person who can send the task back to work. */
function people({ nodes, edges }: Definition): string {
  const gates = Object.values(nodes).filter((node) => node.type === "gate" && node.agent === undefined).length;
  const stops = Object.entries(nodes).filter(([, node]) => node.type === "end" && node.escalation === "hitl");
  const back = stops.filter(([end]) => edgesFrom({ nodes, edges }, end).length > 0).length;
  return [count(gates, "gate"), count(back, "end")].filter((part) => part !== "").join(", ");
}

const subflows = ({ nodes }: Definition): string =>
  Object.values(nodes)
    .flatMap((node) => (node.type === "subflow" ? [`\`${node.workflow}\``] : []))
    .join(", ");

const count = (n: number, word: string): string => (n === 0 ? "" : `${n} ${word}${n === 1 ? "" : "s"}`);
