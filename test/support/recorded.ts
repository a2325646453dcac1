import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/** An exported history, as `historyToJSON` writes it. */
export interface ExportedHistory {
  events: { eventType: string; [key: string]: unknown }[];
}

/** Histories that earlier versions wrote: see docs/testing.md. */
export const HISTORIES = path.join(__dirname, "../histories");

export const recordedFiles = (): string[] => readdirSync(HISTORIES).filter((file) => file.endsWith(".json"));

export const readRecorded = (file: string): ExportedHistory =>
  JSON.parse(readFileSync(path.join(HISTORIES, file), "utf8")) as ExportedHistory;

/** The type of the workflow that wrote a history. */
export function workflowTypeOf({ events }: ExportedHistory): string {
  const started = events[0]?.workflowExecutionStartedEventAttributes as { workflowType: { name: string } } | undefined;
  return started?.workflowType.name ?? "";
}
