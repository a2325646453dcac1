import type { Review } from "../review/review";
import { type Definition, type Edge, maxRetriesOf, type Node, nodeOf } from "./schema";
import type { Task } from "./task";

/** Pictures of a graph: Mermaid for documents (navigator reference, section 9.6), text for terminals, Markdown for the Web UI. */
export function mermaid(definition: Definition, currentStep?: string): string {
  const names = new Map(definition.nodes.map(({ id }, i) => [id, `n${i}`]));
  const lines = definition.nodes.map(
    ({ id, node }) => `  ${names.get(id)}${shape(node, nodeLabel(id, node))}:::${classOf(node)}`,
  );
  const edges = definition.edges.map((edge) => {
    const label = edge.label ?? edge.on;
    return `  ${names.get(edge.from)} -->${label === undefined ? "" : `|${clean(label)}|`} ${names.get(edge.to)}`;
  });
  const current = currentStep === undefined ? [] : [`  class ${names.get(currentStep)} current`];
  return ["flowchart TD", ...lines, ...edges, ...CLASSES, ...current].join("\n");
}

const CLASSES = [
  "  classDef start fill:#e8f0fe,stroke:#4472c4",
  "  classDef success fill:#e6f4ea,stroke:#34a853",
  "  classDef trouble fill:#fce8e6,stroke:#ea4335",
  "  classDef gate fill:#fef7e0,stroke:#fbbc04",
  "  classDef parallel fill:#f3e8fd,stroke:#a142f4",
  "  classDef work fill:#ffffff,stroke:#5f6368",
  "  classDef current stroke-width:4px",
];

function classOf(node: Node): string {
  if (node.type === "start" || node.type === "gate") return node.type;
  if (node.type === "end") return node.result === "success" && node.escalation !== "hitl" ? "success" : "trouble";
  return node.type === "fork" || node.type === "join" ? "parallel" : "work";
}

function shape(node: Node, label: string): string {
  switch (node.type) {
    case "start":
      return `(("${label}"))`;
    case "gate":
      return `{"${label}"}`;
    case "fork":
    case "join":
      return `(["${label}"])`;
    case "end":
      if (node.escalation === "hitl") return `{{"✋ ${label}"}}`;
      return node.result === "success" ? `[["${label}"]]` : `{{"${label}"}}`;
    default:
      return `["${label}"]`;
  }
}

function nodeLabel(id: string, node: Node): string {
  const retries = maxRetriesOf(node) > 0 ? `↻${maxRetriesOf(node)}` : "";
  const work = node.type === "task" || node.type === "gate" ? node : undefined;
  const second = [work?.emoji ?? "", work?.agent ?? "", retries]
    .filter((part) => part !== "")
    .map(clean)
    .join(" ");
  return `${clean(node.name ?? id)}${second === "" ? "" : `<br/>${second}`}`;
}

/** Characters that Mermaid reads as its own are replaced; long labels are cut. */
function clean(text: string): string {
  const plain = text
    .replaceAll('"', "'")
    .replaceAll("&", "and")
    .replace(/[<>[\]{}()]/g, "")
    .replaceAll("|", "-")
    .replace(/\s+/g, " ")
    .trim();
  return plain.length > 40 ? `${plain.slice(0, 37)}...` : plain;
}

/** The way a task took, one line for each step, for a terminal. */
export function renderWay(definition: Definition, task: Task): string {
  const lines = task.history.map((entry) => {
    const retry = entry.action === "retry" ? "  (retry)" : entry.action === "escalate" ? "  (retries used up)" : "";
    return `  ${nameOf(definition, entry.step)}${entry.result === null ? "" : ` — ${entry.result}`}${retry}`;
  });
  const here = `  ${nameOf(definition, task.currentStep)}  [${task.status}]`;
  return [...lines, here].join("\n   ↓\n");
}

const nameOf = (definition: Definition, step: string): string => {
  const name = nodeOf(definition, step)?.name;
  return name === undefined || name === step ? step : `${step}: ${name}`;
};

/** What the Temporal Web UI shows of a task while it runs. */
export function renderTaskDetails(definition: Definition, task: Task, open: readonly Review[]): string {
  const ways = definition.edges.filter((edge) => edge.from === task.currentStep).map(wayOut);
  const reviews = open.map((review) => `- **${review.title}** (\`${review.id}\`): ${review.choices.join(" / ")}`);
  return [
    `**${task.status}** at **${nameOf(definition, task.currentStep)}**`,
    ...(ways.length > 0 && task.status !== "COMPLETED" && task.status !== "FAILED"
      ? [`Ways on: ${ways.join(", ")}`]
      : []),
    ...(reviews.length > 0 ? [`### Waiting for a person\n${reviews.join("\n")}`] : []),
    ...(task.history.length > 0 ? [`### The way taken\n\`\`\`\n${renderWay(definition, task)}\n\`\`\``] : []),
  ].join("\n\n");
}

const wayOut = (edge: Edge): string => `${edge.on ?? "(any)"} → ${edge.to}`;
