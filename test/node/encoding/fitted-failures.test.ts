import { ApplicationFailure, defaultPayloadConverter } from "@temporalio/common";
import { coresdk } from "@temporalio/proto";
import { EncodedFailures } from "../../../src/node/encoding/encoded-failures";
import { FittedFailures } from "../../../src/node/encoding/fitted-failures";
import { sendWholeCharacters } from "../../../src/node/sdk-internals/whole-texts";

/** Failures that the SDK's core and the server accept, whatever an error contains. */

const itsOwnCause = () => {
  const error = new Error("round");
  error.cause = error;
  return error;
};
const caused = (causes: number): Error =>
  Array.from({ length: causes }).reduce<Error>((cause) => new Error("outer", { cause }), new Error("inner"));

const causesOf = ({ cause }: { cause?: object | null }): number => (cause == null ? 0 : 1 + causesOf(cause));

test.each([
  ["its own cause", itsOwnCause()],
  ["1,000 causes", caused(1_000)],
  [
    "a failure with causes that came from elsewhere",
    Object.assign(new ApplicationFailure("x"), { failure: nested(200) }),
  ],
])("an error with %s becomes a failure with at most 20 causes", (_, error) => {
  for (const converter of [new FittedFailures(), new EncodedFailures()])
    expect(causesOf(converter.errorToFailure(error, defaultPayloadConverter))).toBeLessThanOrEqual(21);
});

function nested(causes: number): object {
  return causes === 0 ? { message: "inner" } : { message: "outer", cause: nested(causes - 1) };
}

test("a message and a stack of megabytes are cut between characters", () => {
  const error = Object.assign(new Error("🚀".repeat(1_000_000)), { stack: "at x\n".repeat(1_000_000) });
  const { message, stackTrace } = new FittedFailures().errorToFailure(error, defaultPayloadConverter);
  expect(message).toBe("🚀".repeat(12_500));
  expect(stackTrace).toHaveLength(20_000);
});

test("a failure that was received is thrown again as it was", () => {
  const failure = { message: "from elsewhere", stackTrace: "at x", applicationFailureInfo: { type: "t" } };
  const error = Object.assign(new ApplicationFailure("x"), { failure });
  expect(new FittedFailures().errorToFailure(error, defaultPayloadConverter)).toEqual(failure);
});

test.each(["no \ud83d", "\udc00", "\ud83d".repeat(39), `${"long ".repeat(60)}\ud83d`])(
  "half of a character in %j leaves the process as UTF-8",
  (message) => {
    sendWholeCharacters();
    const completion = { taskToken: Buffer.from("t"), result: { failed: { failure: { message } } } };
    const bytes = coresdk.ActivityTaskCompletion.encode(completion).finish();
    const whole = message.replaceAll(/[\ud83d\udc00]/gu, "\ufffd");
    expect(Buffer.from(bytes).includes(Buffer.from(whole, "utf8"))).toBe(true);
  },
);
