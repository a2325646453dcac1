import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fromFile } from "./history-file";

/** An exported history, as `historyToJSON` writes it. */
export interface ExportedHistory {
  events: { eventType: string; [key: string]: unknown }[];
}

/** Histories that earlier versions wrote: see docs/testing.md. */
export const HISTORIES = path.join(__dirname, "../histories");

/** @param folder below the histories, `embedded/` */
export const recordedFiles = (folder = ""): string[] =>
  readdirSync(path.join(HISTORIES, folder))
    .filter((file) => file.endsWith(".json"))
    .map((file) => folder + file);

export const readRecorded = (file: string): ExportedHistory =>
  fromFile(readFileSync(path.join(HISTORIES, file), "utf8"));

/** The type of the workflow that wrote a history. */
export function workflowTypeOf({ events }: ExportedHistory): string {
  const started = events[0]?.workflowExecutionStartedEventAttributes as { workflowType: { name: string } } | undefined;
  return started?.workflowType.name ?? "";
}
