/** Pictures of a graph: Mermaid for documents, text for terminals, Markdown for the Temporal Web UI. */
export { renderTaskDetails } from "./details";
export { renderDiagram, renderMermaid } from "./mermaid";
export { renderWay } from "./text-diagram";
