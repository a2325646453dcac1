import { fetchConversation } from "../../src/activities/workflow-queries";
import { UNCOMMITTED_TASK } from "../../src/core/base/error-codes";
import { conversationKey } from "../../src/core/base/ids";

/** A run whose queries end one after the other like this. */
function asking(...ends: unknown[]) {
  let asked = 0;
  const query = async () => {
    const end = ends[asked++];
    if (end instanceof Error) throw end;
    return end;
  };
  const fetch = fetchConversation({ workflow: { getHandle: () => ({ query }) } });
  return { fetch: () => fetch(conversationKey("agent/1", "r1")), asked: () => asked };
}

const HELD = { version: 1, conversation: [] };

test("a worker that does not have all of the run is asked again", async () => {
  const { fetch, asked } = asking(new Error(UNCOMMITTED_TASK), new Error(UNCOMMITTED_TASK), HELD);
  expect(await fetch()).toBe(HELD);
  expect(asked()).toBe(3);
});

test("any other failure is the caller's", async () => {
  const { fetch, asked } = asking(new Error("gone"), HELD);
  await expect(fetch()).rejects.toThrow("gone");
  expect(asked()).toBe(1);
});
