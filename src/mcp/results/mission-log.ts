import { flatten, type MissionTree } from "../../client/mission-tree";
import { renderPeoplesLog } from "../../core/journal/mission-log";

/** The logs of a tree's missions, without those that recorded nothing. */
export function logText(tree: MissionTree): string {
  const logs = flatten(tree).filter(({ projection }) => projection.rows.length > 0);
  const [only] = logs;
  if (only !== undefined && logs.length === 1 && only === tree) return renderPeoplesLog(only.projection.rows);
  return logs
    .map(({ workflow_id, projection }) => `# ${workflow_id}\n\n${renderPeoplesLog(projection.rows)}`)
    .join("\n\n");
}

/** How a failed mission ended, as the last member of an answer: `failed: no_stock: None is left.` */
export function errorOfTree({ projection: { timeline } }: MissionTree): { error?: string } {
  const last = timeline.at(-1);
  return last?.kind === "end" && last.outcome === "failed" ? { error: last.text } : {};
}
