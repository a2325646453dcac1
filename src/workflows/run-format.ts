import { patched } from "@temporalio/workflow";
import type { RunFormat } from "../core/base/run-format";

/**
 * The conventions that a run keeps. The input says them. An input without them was sent by an older version, whose runs
 * keep what they began with, or by a plain Temporal client, whose new runs keep the present conventions: there a marker
 * in the history tells the two apart.
 */
export function formatOf({ format }: RunFormat): number {
  if (format !== undefined) return format;
  // A marker for each format that a recorded run began with, and for the present one, which is asked for first.
  if (patched("run-format-17")) return 17;
  if (patched("run-format-16")) return 16;
  if (patched("run-format-15")) return 15;
  if (patched("run-format-14")) return 14;
  if (patched("run-format-13")) return 13;
  if (patched("run-format-12")) return 12;
  if (patched("run-format-11")) return 11;
  if (patched("run-format-10")) return 10;
  if (patched("run-format-8")) return 8;
  if (patched("run-format-7")) return 7;
  if (patched("run-format-6")) return 6;
  if (patched("run-format-5")) return 5;
  if (patched("run-format-3")) return 3;
  return patched("run-format") ? 2 : 1;
}
