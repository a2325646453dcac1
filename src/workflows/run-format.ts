import { patched } from "@temporalio/workflow";
import type { RunFormat } from "../core/base/run-format";

/**
 * The conventions that a run keeps. The input says them. An input without them was sent by an older version, whose runs
 * keep what they began with, or by a plain Temporal client, whose new runs keep the present conventions: there a marker
 * in the history tells the two apart.
 */
export function formatOf({ format }: RunFormat): number {
  // A later format needs a marker of its own, which is asked for before this one.
  return format ?? (patched("run-format-3") ? 3 : 1);
}
