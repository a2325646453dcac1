import type { NavigatorClient } from "../../client/client";
import { readMissionEffects } from "../../client/mission-effects";
import { flatten, type MissionTree } from "../../client/mission-tree";
import { valueWithoutSecrets } from "../../core/agent/prompt/key-shapes";
import { defined } from "../../core/base/defined";
import type { JsonObject } from "../../core/base/json";
import { effectsSummary } from "../../core/effects/effects-summary";
import { workflowEndText } from "../../core/history/read/workflow-end";
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

/** Effects in an answer. */
const MAX_EFFECTS = 200;

/** The effects of a mission as an answer of a tool or a resource: those that nobody knows first. */
export async function effectsAnswer(client: NavigatorClient, workflowId: string) {
  const { ledger, effects, questions, end } = await readMissionEffects(client, workflowId);
  const reviews = new Map(questions.map(({ key, review }) => [key, review]));
  const isUnknown = ({ state }: { state: string }) => state === "unknown";
  const inOrder = [...effects.filter(isUnknown), ...effects.filter((effect) => !isUnknown(effect))];
  const shown = inOrder.slice(0, MAX_EFFECTS).map(({ tool, state, effect, identity_args: args, key, ...more }) => {
    const { turn, task, run, by, message, reused, resembles, at, undone } = more;
    const review = reviews.get(key);
    return {
      tool,
      state,
      effect,
      key,
      turn,
      at,
      ...(valueWithoutSecrets(defined({ args, message })) as JsonObject),
      ...defined({ task, run, by, reused, resembles, undone, review }),
    };
  });
  return {
    workflowId,
    summary: ledger ? effectsSummary(effects) : "It has no ledger: only missions and the runs below them keep one.",
    effects: shown,
    ...(effects.length > shown.length ? { leftOut: effects.length - shown.length } : {}),
    ...(end?.fail === undefined || end.state === "cancelled" ? {} : { error: workflowEndText(end) }),
  };
}
