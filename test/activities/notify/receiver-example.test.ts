import { readFileSync } from "node:fs";
import path from "node:path";
import { createNotifier } from "../../../src/activities/notify/notifier";
import { openReceiver, type Received } from "../../support/receivers";

/** The function of docs/reviews.md by which a receiver checks a webhook. */
const page = readFileSync(path.join(__dirname, "..", "..", "..", "docs", "reviews.md"), "utf8");
const code = /```js\n([\s\S]*?isFromNavigator[\s\S]*?)```/.exec(page)?.[1] as string;
const isFromNavigator = new Function("require", `${code}; return isFromNavigator;`)(require) as (
  headers: Received["headers"],
  body: string,
  secret: string,
) => boolean;

test("the receiver of the page takes what a worker sends, and nothing else", async () => {
  const hook = await openReceiver();
  try {
    await createNotifier({ webhook: { url: hook.url, secret: "a secret" } }).deliver(
      {
        channel: "webhook",
        to: "127.0.0.1",
        notification: {
          event: "review_opened",
          workflow_id: "agent/x",
          at: 1,
          review: {
            id: "agent/x/a/1",
            title: "Ünïcode?",
            kind: "question",
            choices: ["yes"],
            assignees: [],
            reminders: 0,
            body: "It is ready.",
          },
        },
      },
      new AbortController().signal,
    );
    const [{ headers, body }] = hook.got as [Received];
    expect(isFromNavigator(headers, body, "a secret")).toBe(true);
    expect(isFromNavigator(headers, `${body} `, "a secret")).toBe(false);
    expect(isFromNavigator(headers, body, "another secret")).toBe(false);
    expect(isFromNavigator({ ...headers, "webhook-id": "msg_2" }, body, "a secret")).toBe(false);
    expect(isFromNavigator({ ...headers, "webhook-signature": "" }, body, "a secret")).toBe(false);
    expect(isFromNavigator({ ...headers, "webhook-timestamp": "1000" }, body, "a secret")).toBe(false);
  } finally {
    await hook.close();
  }
});
