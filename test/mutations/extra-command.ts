import { proxySinks, type Sinks, sleep, workflowInfo } from "@temporalio/workflow";

/**
 * Runs inside workflows whose code has places for one more command (see places.ts). Which of them is chosen stands in the
 * memo that the replayed history begins with.
 */
export const CHOSEN = "chosenPlace";
/** Chosen where no command is inserted, and every place that the run passes is told. */
export const TELL_ALL = "all";

export interface PlaceSinks extends Sinks {
  places: { passed(place: string): void };
}

const { places } = proxySinks<PlaceSinks>();

export function chosen(place: string): boolean {
  const choice = workflowInfo().memo?.[CHOSEN];
  if (choice === TELL_ALL) places.passed(place);
  return choice === place;
}

/** One more timer. */
export const extraCommand = (): Promise<void> => sleep(1).catch(() => {});
