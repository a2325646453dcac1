import { setCurrentDetails } from "@temporalio/workflow";

/**
 * Sets the details of the workflow for the Temporal Web UI, as a text that is made when somebody looks. The SDK keeps what it is given, and
 * turns it into JSON in its query for the workflow's metadata.
 *
 * @param draw what it uses must not change later
 */
export function setDetailsWhenAsked(draw: () => string): void {
  let drawn: string | undefined;
  const toJSON = () => {
    drawn ??= draw();
    return drawn;
  };
  setCurrentDetails({ toJSON, toString: toJSON } as unknown as string);
}
