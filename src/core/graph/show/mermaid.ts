import { type Definition, maxRetriesOf, type Node, nodeKind, workOf } from "../definition/schema";
import type { ColorName } from "../nodes/node-kind";

/** A definition as a Mermaid flowchart with a table of its work steps (graph reference, section 9.6). */

const MAX_LABEL_CHARS = 40;
/** Words that Mermaid reserves: a node of that name breaks the whole picture. */
const RESERVED = new Set(["end", "graph", "flowchart", "subgraph", "style", "class", "classdef", "click", "linkstyle"]);

const CLASSES = {
  start: "fill:#e8f0fe,stroke:#4472c4,color:#1b2a41",
  success: "fill:#e6f4ea,stroke:#34a853,color:#12331c",
  failure: "fill:#fce8e6,stroke:#ea4335,color:#4a1410",
  gate: "fill:#fef7e0,stroke:#f9ab00,color:#4a3500",
  parallel: "fill:#f3e8fd,stroke:#a142f4,color:#331052",
  wait: "fill:#e8eaed,stroke:#5f6368,color:#202124",
  current: "stroke-width:4px,stroke:#1a73e8",
} satisfies Record<ColorName | "current", string>;
type ClassName = keyof typeof CLASSES;

/** A definition as a Mermaid flowchart (graph reference, section 9.6). The node `currentStep` is marked. */
export function renderMermaid(definition: Definition, currentStep?: string): string {
  const ids = mermaidIds(definition);
  const nodes = Object.entries(definition.nodes);
  const members = (name: ClassName) =>
    nodes
      .filter(([id, node]) => (name === "current" ? id === currentStep : nodeKind(node).drawing.color(node) === name))
      .map(([id]) => ids.get(id));
  return [
    "flowchart TD",
    ...nodes.map(([id, node]) => `  ${ids.get(id)}${nodeKind(node).drawing.shape(node, labelOf(id, node))}`),
    ...definition.edges.map(({ from, to, on, label, on_failure }) => {
      const text = [clean(label || on || ""), on_failure === undefined ? "" : "↩"].join(" ").trim();
      return `  ${ids.get(from)} -->${text === "" ? "" : `|"${text}"|`} ${ids.get(to)}`;
    }),
    ...Object.entries(CLASSES).flatMap(([name, style]) => {
      const marked = members(name as ClassName);
      return marked.length === 0 ? [] : [`  classDef ${name} ${style}`, `  class ${marked.join(",")} ${name}`];
    }),
  ].join("\n");
}

/** Markdown: the flowchart and, below it, a table of the work steps. */
export function renderDiagram(definition: Definition, currentStep?: string): string {
  const rows = Object.entries(definition.nodes).flatMap(([id, node]) => {
    const work = workOf(node);
    return work ? [[work.stage, id, work.name, work.agent, work.instructions ?? work.description].map(cell)] : [];
  });
  const table = [["Stage", "Step", "Name", "Agent", "Instructions"], ["---", "---", "---", "---", "---"], ...rows];
  return [
    `\`\`\`mermaid\n${renderMermaid(definition, currentStep)}\n\`\`\``,
    table.map((row) => `| ${row.join(" | ")} |`).join("\n"),
  ].join("\n\n");
}

const cell = (text: string | undefined): string =>
  (text ?? "")
    .replaceAll("\\", "\\\\")
    .replaceAll("|", "\\|")
    .replace(/<|\](?=\()/g, "\\$&")
    .replace(/\s+/g, " ")
    .trim();

/** node id -> its name in the picture: the id itself if Mermaid can read it. */
function mermaidIds({ nodes }: Definition): Map<string, string> {
  const readable = (id: string) => /^[A-Za-z][A-Za-z0-9_]*$/.test(id) && !RESERVED.has(id.toLowerCase());
  const taken = new Set(Object.keys(nodes).filter(readable));
  return new Map(
    Object.keys(nodes).map((id, index) => {
      let name = readable(id) ? id : `node_${index}`;
      while (name !== id && taken.has(name)) name += "_";
      taken.add(name);
      return [id, name];
    }),
  );
}

function labelOf(id: string, node: Node): string {
  const retries = maxRetriesOf(node) > 0 ? `↻${maxRetriesOf(node)}` : "";
  const second = nodeKind(node).drawing.caption(node).map(clean).concat(retries);
  const text = second.filter((part) => part !== "").join(" ");
  return `${clean(node.name || id) || clean(id) || "-"}${text === "" ? "" : `<br/>${text}`}`;
}

/** Replaces or drops characters with a meaning in Mermaid, and cuts long texts. */
function clean(text: string): string {
  const plain = text
    .replaceAll('"', "'")
    .replaceAll("&", "and")
    .replaceAll("|", "-")
    .replace(/[<>[\]{}()]/g, "")
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...plain];
  return characters.length > MAX_LABEL_CHARS ? `${characters.slice(0, MAX_LABEL_CHARS - 3).join("")}...` : plain;
}
