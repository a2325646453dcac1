import { setCurrentDetails } from "@temporalio/workflow";

/**
 * Sets the details of the workflow for the Temporal Web UI. The text is drawn only when somebody looks: the SDK keeps the value as it is,
 * and turns it into JSON in its query for the workflow's metadata.
 */
export function setDetailsWhenAsked(draw: () => string): void {
  setCurrentDetails({ toJSON: draw, toString: draw } as unknown as string);
}
