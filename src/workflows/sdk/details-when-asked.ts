import { setCurrentDetails } from "@temporalio/workflow";

/**
 * Sets the details of the workflow for the Temporal Web UI, as a text that is made when somebody looks. The SDK keeps what it is given, and
 * turns it into JSON in its query for the workflow's metadata.
 */
export function setDetailsWhenAsked(draw: () => string): void {
  setCurrentDetails({ toJSON: draw, toString: draw } as unknown as string);
}
