import type { ProjectSchedule } from "../../../client/schedules/project-schedules";
import { type Colors, renderTable } from "../../terminal/render";

/** The project's schedules as a table. */
export function scheduleListText(schedules: readonly ProjectSchedule[], color: Colors): string {
  if (schedules.length === 0) return "The project has no schedules.";
  const rows = schedules.map((schedule) => [
    schedule.id,
    schedule.agent,
    schedule.paused ? color.yellow("paused") : (schedule.next[0] ?? "never"),
    schedule.last[0]?.due ?? "",
    schedule.last[0]?.result ?? "",
  ]);
  return renderTable(rows, ["ID", "AGENT", "NEXT RUN", "LAST RUN", "RESULT"]);
}

/** One schedule with its runs. */
export function scheduleText(schedule: ProjectSchedule, color: Colors): string {
  const { id, agent, paused, note, timezone, once_per, days_in, overlap, next, last } = schedule;
  return [
    `${id}: agent ${agent}, ${paused ? color.yellow("paused") : "runs by the clock"}${note === undefined ? "" : ` (${note})`}`,
    `Time zone ${timezone}, once per ${once_per}${days_in === undefined ? "" : ` of ${days_in}`}, overlap ${overlap}`,
    "",
    paused
      ? "No next runs."
      : renderTable(
          next.slice(0, 5).map((time) => [time]),
          ["NEXT RUNS"],
        ),
    "",
    last.length === 0
      ? "No run was started."
      : renderTable(
          last.map(({ due, result, found, mission }) => [due, found ? `${result} (was there)` : result, mission]),
          ["LAST RUNS", "RESULT", "MISSION"],
        ),
  ].join("\n");
}
