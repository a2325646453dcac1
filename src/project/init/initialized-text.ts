import path from "node:path";
import type { InitializedProject } from "./init-project";

/** What people read after a project was made. */
export function initializedText({ folder, isAdded, created, kept, next }: InitializedProject): string {
  const place = path.relative(process.cwd(), folder);
  const shown = place === "" ? "this folder" : place;
  return [
    isAdded
      ? `Added to ${shown}: ${created.join(", ")}.`
      : `Created ${shown === "this folder" ? "a project in this folder" : shown}: an agent, a tool that a person approves, a test and a graph.`,
    ...(kept.length === 0 ? [] : [`Kept as they are: ${kept.join(", ")}.`]),
    "",
    "Next:",
    ...next.map((line) => `  ${line}`),
  ].join("\n");
}
