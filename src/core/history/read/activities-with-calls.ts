import { STRETCH_ACTIVITY, TURN_ACTIVITY } from "../../journal/stretch";
import { BATCH_ACTIVITY } from "./batch";

/** The types of the activities that make several calls of tools, and keep their answers in their heartbeats (engine reference, sections 16 and 17). */
export const ACTIVITIES_WITH_CALLS: ReadonlySet<unknown> = new Set([TURN_ACTIVITY, STRETCH_ACTIVITY, BATCH_ACTIVITY]);
