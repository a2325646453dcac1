import path from "node:path";
import { Client, Connection } from "@temporalio/client";
import { startWorkerProcess } from "../../examples/order/demo/worker-process";
import { NavigatorClient } from "../../src/client/client";
import { openPlace } from "../support/cli";
import { mailHeader, openMailServer, openReceiver } from "../support/receivers";
import { until } from "../support/until";

/**
 * A worker is killed while a receiver has got a message and has not answered. The next worker sends that message again,
 * under the same id, and no other one.
 */
type Held = "webhook" | "slack" | "email";

test.each<Held>(["webhook", "slack", "email"])(
  "a worker that is killed while the %s has not answered sends that message again, and nothing else",
  async (held) => {
    // No message through this channel gets an answer before the worker is dead. What waits too long for one is sent again.
    let release = () => {};
    const dead = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = (channel: Held) => async () => {
      if (channel === held) await dead;
      return 204;
    };
    const hook = await openReceiver(answer("webhook"));
    const slack = await openReceiver(answer("slack"));
    const mail = await openMailServer({ accept: async () => void (await answer("email")()) });
    const place = await openPlace(`notifications-killed-${held}`);
    place.write("navigator.config.json", {
      notify: {
        webhook: { url: hook.url, secret_env: "HOOK_SECRET" },
        slack: { url_env: "SLACK_URL" },
        email: { smtp: mail.url, from: "nav@example.com", to: ["all@example.com"] },
      },
    });
    const launch = () =>
      startWorkerProcess({
        config: place.folder,
        taskQueue: path.basename(place.folder),
        env: {
          HOOK_SECRET: "s3cret",
          SLACK_URL: slack.url,
          TEMPORAL_NAMESPACE: place.namespace,
          NAVIGATOR_PROJECT: "none",
          NAVIGATOR_IDENTITY: path.join(place.folder, ".identity"),
        },
      });
    let worker = await launch();
    const connection = await Connection.connect({ address: process.env.TEMPORAL_ADDRESS as string });
    try {
      const client = new NavigatorClient(
        new Client({ connection, namespace: place.namespace }),
        path.basename(place.folder),
      );
      const plan = await client.startPlan({ plan: { tasks: [{ id: "ask", type: "review", input: "Well?" }] } });
      const waiting = async () =>
        ((await plan.reviews())[0]?.notices ?? []).flatMap(
          (one) => one.plan?.deliveries.map((d) => d.channel) ?? ["?"],
        );
      const ids = {
        webhook: () => hook.got.map(({ headers }) => headers["webhook-id"]),
        slack: () => slack.got.map(({ headers }) => headers["webhook-id"]),
        email: () => mail.got.map((one) => mailHeader(one, "message-id")),
      };
      await until(async () => ids[held]().length > 0 && (await waiting()).join() === held, "only one is not confirmed");
      await worker.kill();
      const before = ids[held]().length;
      release();
      worker = await launch();
      await until(async () => (await waiting()).length === 0, "the last one is confirmed");
      for (const channel of ["webhook", "slack", "email"] as const) {
        const got = ids[channel]();
        expect({ channel, messages: got.length, ids: new Set(got).size }).toEqual({
          channel,
          messages: channel === held ? before + 1 : 1,
          ids: 1,
        });
      }
      const [review] = await plan.reviews();
      expect(review?.unheard).toBeUndefined();
      await plan.decide({ review: review?.id as string, choice: "approve", by: "anna" });
      await plan.result();
    } finally {
      await connection.close();
      await worker.stop();
      for (const one of [hook, slack, mail]) await one.close();
      place.close();
    }
  },
);
