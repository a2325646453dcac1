import type { Command } from "commander";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import { checkedShare, type WorkShare } from "../../workflows/start/priority";
import { numberOf } from "./number-argument";

/** The command line's options of a start: how it shares busy workers with other work. */
export interface ShareFlags {
  priority?: string;
  fairnessKey?: string;
  fairnessWeight?: string;
}

/** Adds them to a command. */
export const withShareOptions = (command: Command): Command =>
  command
    .option("--priority <number>", "which work busy workers take first: a higher number is more important (default: 0)")
    .option("--fairness-key <key>", "whose work it is: each key gets its turn (default: the project)")
    .option("--fairness-weight <number>", "how many turns that key gets where another gets one (default: 1)");

/** @throws NavigatorError `bad_usage` */
export function shareArguments({ priority, fairnessKey, fairnessWeight }: ShareFlags): WorkShare {
  const weight = fairnessWeight === undefined ? undefined : numberOf("--fairness-weight", fairnessWeight);
  if (fairnessWeight !== undefined && fairnessKey === undefined)
    throw new NavigatorError("bad_usage", "--fairness-weight needs --fairness-key.", {
      hint: "For example --fairness-key acme --fairness-weight 2",
      details: { path: "--fairness-weight" },
    });
  return checkedShare({
    priority: priority === undefined ? undefined : numberOf("--priority", priority),
    fairness: fairnessKey === undefined ? undefined : { key: fairnessKey, ...defined({ weight }) },
  });
}
