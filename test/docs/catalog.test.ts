import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { catalogWorkflows, listCatalog } from "../../src/catalog";
import { type Definition, edgesFrom } from "../../src/core/graph/definition/schema";
import { renderDiagram } from "../../src/core/graph/show/diagram";

/** The catalog's page draws what the catalog has. To draw it again: NAVIGATOR_WRITE_DOCS=1 and this test. */
const file = path.join(__dirname, "../../docs/catalog.md");
const MARK = "<!-- catalog -->";

test("the page is that of the definitions", () => {
  const text = readFileSync(file, "utf8");
  const whole = `${text.slice(0, text.indexOf(MARK) + MARK.length)}\n\n${contents()}\n${pages()}`;
  if (process.env.NAVIGATOR_WRITE_DOCS === "1") writeFileSync(file, whole);
  expect(plain(text)).toBe(plain(whole));
});

/** The formatter aligns columns; that is no difference. */
const plain = (text: string): string => text.replace(/[ -]+/g, " ").trim();

function contents(): string {
  const rows = listCatalog().map(({ id, name, description }) => `| [${id}](#${anchor(name)}) | ${description} |`);
  return ["| workflow | what for |", "| --- | --- |", ...rows, ""].join("\n");
}

function pages(): string {
  return catalogWorkflows()
    .map(({ definition }) => [`## ${definition.name}`, about(definition), renderDiagram(definition)].join("\n\n"))
    .join("\n\n")
    .concat("\n");
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
