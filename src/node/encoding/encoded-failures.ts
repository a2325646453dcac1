import type { PayloadConverter, SerializationContext } from "@temporalio/common";
import { FittedFailures } from "./fitted-failures";

/**
 * The failure converter of projects with a codec: a separate module, because the SDK loads it by its path, in workers also
 * inside the sandbox of workflows.
 */

type Failure = ReturnType<FittedFailures["errorToFailure"]>;

const HIDDEN = "Encoded failure";

/** Messages and stack traces of failures become payloads, which the codec encodes. What it reads is the SDK's own form. */
export class EncodedFailures extends FittedFailures {
  override errorToFailure(error: unknown, payloadConverter: PayloadConverter, context?: SerializationContext): Failure {
    const failure = super.errorToFailure(error, payloadConverter, context);
    const { message, stackTrace } = failure;
    return {
      ...failure,
      message: HIDDEN,
      stackTrace: "",
      encodedAttributes: payloadConverter.toPayload({ message, stack_trace: stackTrace }, context),
    };
  }
}

export const failureConverter = new EncodedFailures();
