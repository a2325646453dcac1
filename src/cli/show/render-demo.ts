import type { OrderMissionResult } from "../../../examples/order/demo/mission";
import type { TimeSpent } from "../../../examples/order/demo/time-spent";
import type { MissionTree } from "../../client/mission-tree";
import { stepOfRun } from "../../core/base/ids";
import { type Colors, renderTable } from "../terminal/render";
import { markdownText, peoplesLogText } from "./render-missions";

/** What the demo proves, as data. */
export interface DemoSummary {
  task: OrderMissionResult["task"];
  missions: MissionTree;
  /** The number of real charges: 1, however often it was requested. */
  charges: number;
  refunds: number;
  shipments: number;
  charge_requests: number;
  crash: OrderMissionResult["crash"];
  time_ms: TimeSpent;
}

/** Shows the path that the demo took, its time and its charges. */
export function demoText(
  answer: DemoSummary & { ui: string | null },
  result: OrderMissionResult,
  tree: MissionTree,
  color: Colors,
): string {
  const { bold, dim, green, red } = color;
  const { time_ms: time, charges, charge_requests: requests } = answer;
  return [
    "",
    bold("Path taken"),
    result.way,
    ...tree.children.flatMap((run) => runText(run, result.progress[run.workflow_id] ?? "", color)),
    "",
    bold("Where the time went"),
    renderTable([
      ["  model", seconds(time.model)],
      ["  tools", seconds(time.tools)],
      ["  recovery after the kill", seconds(time.recovery)],
      ["  waiting for a person", seconds(time.people)],
      ["  engine", seconds(time.engine)],
      ["  total", seconds(time.total)],
    ]),
    "",
    `charge requests: ${requests}${requests > 1 ? dim("  (each after the first had the same idempotency key)") : ""}`,
    (charges === 1 ? green : red)(`charges: ${charges}`),
    ...(answer.ui === null
      ? []
      : [
          "",
          `See it in the Temporal Web UI: ${answer.ui}`,
          dim("(the server keeps running; `navigator server stop` stops it)"),
        ]),
  ].join("\n");
}

function runText({ workflow_id, projection }: MissionTree, progress: string, color: Colors): string[] {
  const { step, attempt } = stepOfRun(workflow_id);
  const title = `${color.bold(`Agent ${step}`)}${attempt === "1" ? "" : `, attempt ${attempt}`}`;
  return [
    "",
    `${title}  ${color.dim(workflow_id)}`,
    ...(projection.rows.length === 0 ? [] : [peoplesLogText(projection, color)]),
    ...(progress === "" ? [] : [markdownText(progress, color)]),
  ];
}

/** Aligned at the decimal point. */
const seconds = (ms: number): string => `${(ms / 1000).toFixed(2).padStart(7)} s`;
