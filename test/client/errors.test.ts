import { ServiceError } from "@temporalio/client";
import { ask } from "../../src/client/errors";

/** What the server answers in a moment in which it cannot take an update: the update is sent again. */
const refusal = (details: string) =>
  Object.assign(new ServiceError("refused"), {
    cause: Object.assign(new Error(details), { code: 9, details, metadata: {} }),
  });

describe("an update that the server refuses for the moment", () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  test.each([
    "unable to complete update due to unexpected workflow task failure",
    "Unable to perform workflow execution update due to Workflow Task in failed state.",
  ])("%s: it is sent again, and its answer is given", async (details) => {
    const call = jest.fn().mockRejectedValueOnce(refusal(details)).mockRejectedValueOnce(refusal(details));
    const answer = ask(call.mockResolvedValue("moved"));
    await jest.runAllTimersAsync();
    expect(await answer).toBe("moved");
    expect(call).toHaveBeenCalledTimes(3);
  });

  test("after five refusals no worker has answered", async () => {
    const details = "Unable to perform workflow execution update due to Workflow Task in failed state.";
    const call = jest.fn().mockRejectedValue(refusal(details));
    const refused = expect(ask(call)).rejects.toMatchObject({ code: "no_worker", details: { server: details } });
    await jest.runAllTimersAsync();
    await refused;
    expect(call).toHaveBeenCalledTimes(5);
  });

  test("any other refusal is told at once", async () => {
    const call = jest.fn().mockRejectedValue(refusal("something else"));
    await expect(ask(call)).rejects.toMatchObject({ code: "no_worker" });
    expect(call).toHaveBeenCalledTimes(1);
  });
});
