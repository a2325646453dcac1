/** `navigator-agents/trace`: reads and draws what runs did, from a server or from exported histories. */

export { flatten, type MissionTree, missionHistories, missionTrace, missionTree } from "../client/mission-tree";
export {
  filterTrace,
  slowestSpans,
  type TimelineRow,
  type TraceNode,
  type TraceSummary,
  traceSummary,
  traceTimeline,
  traceTree,
} from "../core/history/trace/analyse";
export { type SpanKind, type TraceLine, type TraceLog, traceText } from "../core/history/trace/line";
export { loadTrace, TraceFormatError } from "../core/history/trace/load";
export { missionLogs } from "../core/history/trace/mission-logs";
export type { MissionHistories } from "../core/history/trace/read-mission";
export type { EntryType, MergedTrace, TracerEntry, TracerOptions, TracerUsage } from "../core/history/trace/recorder";
export { type PrintOptions, printChain, printTrace } from "../project/authoring/print-trace";
export { Tracer } from "../project/authoring/tracer";
