import { DefaultFailureConverter, type PayloadConverter, type SerializationContext } from "@temporalio/common";

/**
 * The failure converter of projects with a codec: a separate module, because the SDK loads it by its path, in workers also
 * inside the sandbox of workflows.
 */

type Failure = ReturnType<DefaultFailureConverter["errorToFailure"]>;

const HIDDEN = "Encoded failure";

/** Messages and stack traces of failures become payloads, which the codec encodes. What it reads is the SDK's own form. */
export class EncodedFailures extends DefaultFailureConverter {
  constructor() {
    super({ encodeCommonAttributes: true });
  }

  override errorToFailure(error: unknown, payloadConverter: PayloadConverter, context?: SerializationContext): Failure {
    // A copy: an error that came from elsewhere keeps the failure that it was made of, and may be thrown again.
    const failure = { ...this.errorToFailureInner(error, payloadConverter, context) };
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
