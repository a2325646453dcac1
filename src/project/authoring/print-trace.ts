import type { Step } from "../../core/agent/result/step";
import { chainText, type StepTextOptions, stepTraceText } from "../../core/agent/run/step-text";

/** How a Step is shown as text, and where the text goes. */
export interface PrintOptions extends StepTextOptions {
  /** Takes the text. Default: console.log. */
  write?: (text: string) => void;
}

/**
 * Shows what a run did, turn by turn, from its Step alone: also one that ran in memory. When and how long is in its
 * trace, see `missionTrace`.
 */
export function printTrace(step: Step, { write = console.log, ...options }: PrintOptions = {}): void {
  write(stepTraceText(step, options));
}

/** Shows the Steps of a chain, a few lines for each. */
export function printChain(steps: readonly Step[], { write = console.log }: Pick<PrintOptions, "write"> = {}): void {
  write(chainText(steps));
}
