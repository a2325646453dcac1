/** `navigator-agents/trace`: reads and draws what runs did, from a server or from exported histories. */
export { type PrintOptions, printChain, printTrace } from "../authoring/print-trace";
export { Tracer } from "../authoring/tracer";
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
} from "../core/trace/analyse";
export { type SpanKind, type TraceLine, type TraceLog, traceText } from "../core/trace/line";
export { loadTrace, TraceFormatError } from "../core/trace/load";
export { missionLogs } from "../core/trace/mission-logs";
export type { MissionHistories } from "../core/trace/read-mission";
export type { EntryType, MergedTrace, TracerEntry, TracerOptions, TracerUsage } from "../core/trace/recorder";
