import { DefaultFailureConverter, type PayloadConverter, type SerializationContext } from "@temporalio/common";
import { cutBytes } from "../../core/base/bytes";

/**
 * The failure converter of workers without a codec: a separate module, because the SDK loads it by its path, in workers also inside the
 * sandbox of workflows.
 */

type Failure = ReturnType<DefaultFailureConverter["errorToFailure"]>;

/** The SDK's core reads at most 100 nested messages, and each cause is one. */
const MAX_CAUSES = 20;
/** Of one message and one stack trace. With all causes a failure stays below the server's limit of 2 MB. */
const MAX_MESSAGE_BYTES = 50_000;
const MAX_STACK_BYTES = 20_000;

/**
 * Failures that the SDK's core and the server accept, whatever an error contains. An error may be its own cause, or have a message of
 * megabytes: with the SDK's own converter it ends the worker.
 */
export class FittedFailures extends DefaultFailureConverter {
  /** The error that is converted now is the cause of so many others. */
  private depth = 0;

  override errorToFailure(error: unknown, payloadConverter: PayloadConverter, context?: SerializationContext): Failure {
    if (this.depth > MAX_CAUSES) return LEFT_OUT;
    this.depth += 1;
    try {
      const failure = this.errorToFailureInner(error, payloadConverter, context);
      return fitted(failure, MAX_CAUSES - this.depth);
    } finally {
      this.depth -= 1;
    }
  }
}

const LEFT_OUT: Failure = { message: "(further causes are left out)" };

/** A copy: an error that came from elsewhere keeps the failure that it was made of, and may be thrown again. */
function fitted(failure: Failure, causes: number): Failure {
  const { message, stackTrace, cause } = failure;
  return {
    ...failure,
    message: cutBytes(message ?? "", MAX_MESSAGE_BYTES),
    stackTrace: cutBytes(stackTrace ?? "", MAX_STACK_BYTES),
    ...(cause && { cause: causes > 0 ? fitted(cause, causes - 1) : LEFT_OUT }),
  };
}

const inTheClear = new FittedFailures();

// The SDK asks for this name.
export { inTheClear as failureConverter };
