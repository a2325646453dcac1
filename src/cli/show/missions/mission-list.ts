import type { MissionState } from "../../../client/listing/mission-state";
import type { ListedMission, MissionPage } from "../../../client/missions";
import { pausedText } from "../../../core/base/input/pause";
import { joinLines } from "../../../core/base/one-line";
import { callBehindText } from "../../../core/history/read/failed-call";
import { type Colors, renderDuration, renderTable, renderTime } from "../../terminal/render";

const MAX_TEXT = 80;
/** It stands in the last column, and has the reason and the call behind it. */
const MAX_ERROR = 160;

/**
 * The page of a list of missions, as a table.
 *
 * @param isMore whether something that fits is known to come after it @param now ms since 1970
 */
export function missionListText(
  { missions, next }: MissionPage,
  { isMore, now }: { isMore: boolean; now: number },
  color: Colors,
): string {
  const known = isMore ? "There is more." : "Not all were looked at.";
  const more = next === undefined ? [] : [`${known} Next page: add --page ${next}`];
  if (missions.length === 0) return more.length === 0 ? "Nothing fits." : more.join("\n");
  const rows = missions.map((mission) => rowOf(mission, now, color));
  // A column that no row needs is left out.
  const used = HEADER.map((_, at) => at < ALWAYS || rows.some((row) => row[at] !== ""));
  const kept = <T>(row: readonly T[]): T[] => row.filter((_, at) => used[at]);
  return [renderTable(rows.map(kept), kept(HEADER)), ...more].join("\n");
}

const HEADER = ["ID", "KIND", "STATE", "STARTED (UTC)", "SINCE", "ABOUT", "WAITS FOR", "COST", "ERROR"];
const ALWAYS = 4;

const LOOKS: { readonly [state in MissionState]?: keyof Colors } = {
  waiting: "yellow",
  blocked: "yellow",
  paused: "yellow",
  failed: "red",
  terminated: "red",
  timed_out: "red",
  completed: "green",
};

function rowOf(mission: ListedMission, now: number, color: Colors): string[] {
  const { workflow_id, kind, state, started_at, since, paused, waits_for, error, failed_call } = mission;
  const look = LOOKS[state];
  const word = state.replace("_", " ");
  return [
    workflow_id,
    kind,
    look === undefined ? word : color[look](word),
    renderTime(started_at),
    since === undefined ? "" : renderDuration(now - since),
    aboutText(mission),
    short(paused === undefined ? (waits_for ?? "") : `paused ${joinLines(pausedText(paused))}`),
    costText(mission),
    short(`${error ?? ""}${callBehindText(failed_call)}`, MAX_ERROR),
  ];
}

function aboutText({ agent, graph, step, issue }: ListedMission): string {
  const place = graph === undefined ? agent : `${graph}${step === undefined ? "" : ` at ${step}`}`;
  return [place, issue].filter((part) => part !== undefined && part !== "").join(", ");
}

const costText = ({ cost, tokens }: ListedMission): string =>
  cost !== undefined ? `$${cost.toFixed(cost < 1 ? 4 : 2)}` : tokens !== undefined ? `${tokens} tokens` : "";

const short = (text: string, most = MAX_TEXT): string => (text.length <= most ? text : `${text.slice(0, most - 3)}...`);
