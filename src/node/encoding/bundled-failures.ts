import { EncodedFailures } from "./encoded-failures";
import { FittedFailures } from "./fitted-failures";

/**
 * The failure converter of the workflow bundle. A bundle is built once, for projects with a codec and without, and a failure
 * converter is a part of it: a worker with a codec changes one word of the bundle that it reads.
 */

const MODE: string = "failures_in_the_clear";

const bundled = MODE === "failures_in_payloads" ? new EncodedFailures() : new FittedFailures();

// The SDK asks for this name.
export { bundled as failureConverter };
