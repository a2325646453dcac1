import { defined } from "../../core/base/defined";
import { checkedShare, type WorkShare } from "../../workflows/start/priority";
import { badUsage } from "../terminal/exit";
import { numberOf } from "./number-argument";

/** The command line's options of a start: how it shares busy workers with other work. */
export interface ShareFlags {
  priority?: string;
  fairnessKey?: string;
  fairnessWeight?: string;
}

export const SHARE_OPTIONS = [
  ["--priority <number>", "which work busy workers take first: a higher number is more important (default: 0)"],
  ["--fairness-key <key>", "whose work it is: each key gets its turn (default: the project)"],
  ["--fairness-weight <number>", "how many turns that key gets where another gets one (default: 1)"],
] as const;

/** @throws NavigatorError `bad_usage` */
export function shareArguments({ priority, fairnessKey, fairnessWeight }: ShareFlags): WorkShare {
  const weight = fairnessWeight === undefined ? undefined : numberOf("--fairness-weight", fairnessWeight);
  if (fairnessWeight !== undefined && fairnessKey === undefined)
    throw badUsage(
      "--fairness-weight",
      "--fairness-weight needs --fairness-key.",
      "For example --fairness-key acme --fairness-weight 2",
    );
  return checkedShare({
    priority: priority === undefined ? undefined : numberOf("--priority", priority),
    fairness: fairnessKey === undefined ? undefined : { key: fairnessKey, ...defined({ weight }) },
  });
}
