import type { Client } from "@temporalio/client";
import { defaultDataConverter } from "@temporalio/common";
import { historyFromJSON } from "@temporalio/common/lib/proto-utils";
import { missionHistories } from "../../src/client/mission-tree";

/** What the server answers, as gRPC's client throws it: `fetchHistory` passes it on. */
const notFound = (details: string) => Object.assign(new Error(details), { code: 5, details, metadata: {} });

const MISSING_RUN = 'workflow execution not found for workflow ID "agent/x" and run ID "first"';

/** A client for which `agent/x` has continued as new once, and that answers like this where it has no history. */
function reading(answers: { [place: string]: string } = {}) {
  const started = (continuedExecutionRunId: string) =>
    historyFromJSON({
      events: [
        {
          eventId: "1",
          eventTime: "2026-11-23T09:00:00Z",
          eventType: "EVENT_TYPE_WORKFLOW_EXECUTION_STARTED",
          workflowExecutionStartedEventAttributes: { continuedExecutionRunId },
        },
      ],
    });
  const getHandle = (workflowId: string, runId = "newest") => ({
    workflowId,
    client: { options: { loadedDataConverter: defaultDataConverter } },
    fetchHistory: async () => {
      const refusal = answers[`${workflowId} ${runId}`];
      if (refusal !== undefined) throw notFound(refusal);
      if (workflowId !== "agent/x") throw notFound(`workflow not found for ID: ${workflowId}`);
      return started(runId === "newest" ? "first" : "");
    },
  });
  return { temporal: { workflow: { getHandle } } as unknown as Client, project: null };
}

test("a mission that continued as new is read with all of its runs", async () => {
  expect((await missionHistories(reading(), "agent/x")).runs).toHaveLength(2);
});

test("a mission is read also when the server does not keep its first run any more", async () => {
  const client = reading({ "agent/x first": MISSING_RUN });
  expect((await missionHistories(client, "agent/x")).runs).toHaveLength(1);
});

test.each(["workflow not found for ID: agent/x", "Workflow execution history not found."])(
  "a mission that is not there is not found, in whichever words the server says it: %s",
  async (said) => {
    const asked = missionHistories(reading({ "agent/x newest": said }), "agent/x");
    await expect(asked).rejects.toMatchObject({ code: "not_found", message: 'There is no workflow "agent/x".' });
  },
);

test("a missing namespace is not told as a missing mission", async () => {
  const asked = missionHistories(reading({ "agent/x newest": "Namespace nowhere is not found." }), "agent/x");
  await expect(asked).rejects.toMatchObject({ code: "server_error" });
});
