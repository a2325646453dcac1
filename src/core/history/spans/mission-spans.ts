import type { MissionHistories } from "../trace/read-mission";
import type { ContentOptions } from "./content";
import type { PlainSpan } from "./plain-span";
import { SpanReader } from "./span-reader";
import type { TraceContext } from "./trace-context";

/**
 * The spans of a mission and of all runs below it, from their histories alone: the same ids and names that workers report
 * while it runs. Works for what is still running: then spans that have not ended are left out, and their ids are the same
 * when they are told later.
 *
 * @throws HistoryFormatError for what is no history
 */
export function missionSpans(mission: MissionHistories, options: ContentOptions = { content: false }): PlainSpan[] {
  return spansOf(mission, null, options);
}

function spansOf(mission: MissionHistories, above: TraceContext | null, options: ContentOptions): PlainSpan[] {
  const reader = new SpanReader(mission.workflow_id, above, options);
  for (const run of mission.runs) reader.readRun(run);
  const below = mission.children.map((child) => spansOf(child, reader.contextOf(child.workflow_id), options));
  const undos = (mission.undos ?? []).map((undo) => {
    const undone = new SpanReader("", reader.contextOf(""), options);
    undone.readRun(undo);
    return undone.result();
  });
  return [...reader.result(), ...below.flat(), ...undos.flat()];
}
