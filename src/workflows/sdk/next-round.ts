import { condition } from "@temporalio/workflow";

/** Resolves when everything that can run now has run until it waits. */
export function nextRound(): Promise<void> {
  let asked = false;
  return condition(() => {
    const again = asked;
    asked = true;
    return again;
  });
}
