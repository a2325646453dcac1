import { type Definition, edgesFrom } from "../../src/core/graph/definition/schema";
import { renderDiagram } from "../../src/core/graph/show/diagram";
import { catalogWorkflows, listCatalog } from "../../src/project/catalog";
import { markdownTable } from "./markdown-table";

/** The list of the catalog's workflows, then each with its diagram. */
export const catalog = (): string => `${contents()}\n\n${pages()}`;

function contents(): string {
  const rows = listCatalog().map(({ id, name, description }) => [`[${id}](#${anchor(name)})`, description]);
  return markdownTable(["workflow", "what for"], rows);
}

function pages(): string {
  return catalogWorkflows()
    .map(({ definition }) => [`## ${definition.name}`, about(definition), renderDiagram(definition)].join("\n\n"))
    .join("\n\n");
}

/** As GitHub names the headings. */
const anchor = (name: string): string => name.toLowerCase().replaceAll(" ", "-");

function about({ id, description, nodes, edges }: Definition): string {
  const people = Object.values(nodes).filter((node) => node.type === "gate" && node.agent === undefined).length;
  const runs = Object.values(nodes).flatMap((node) => (node.type === "subflow" ? [`\`${node.workflow}\``] : []));
  const stops = Object.entries(nodes).filter(([, node]) => node.type === "end" && node.escalation === "hitl");
  const back = stops.filter(([end]) => edgesFrom({ nodes, edges }, end).length > 0);
  return [
    `\`${id}\`: ${description}`,
    ...(people === 0 ? [] : [`A person decides at ${people === 1 ? "one gate" : `${people} gates`}.`]),
    ...(runs.length === 0 ? [] : [`Runs ${runs.join(", ")} as a subflow.`]),
    back.length === 1
      ? "One end asks a person, who can send it back to work."
      : `${back.length} ends ask a person, who can send it back to work.`,
  ].join(" ");
}
