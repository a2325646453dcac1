import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { openPlace, program } from "../support/cli";
import { until } from "../support/until";

/** Temporal counts a call as lost whose heartbeats are missing for longer than its limit, 5 s for an irreversible one. */
test("an irreversible call in flight is made once, and nobody is asked about it; the restored server has its mission", async () => {
  const port = await freePortPair();
  const place = await openPlace("backup-calls", {
    TEMPORAL_ADDRESS: "",
    TEMPORAL_NAMESPACE: "",
    NAVIGATOR_PORT: String(port),
    NAVIGATOR_PROJECT: "shop",
  });
  try {
    place.write(
      "navigator.config.cjs",
      `const { defineTool } = require("navigator-agents");
       const { appendFileSync, existsSync } = require("node:fs");
       module.exports = {
         agents: "./agents",
         script: "./script.json",
         tools: [defineTool({ name: "charge_card", signature: "(order_id :int) -> {tx :string}", effect: "irreversible", run: async () => {
           appendFileSync(__dirname + "/calls.log", "begun\\n");
           while (!existsSync(__dirname + "/paid")) await new Promise((resolve) => setTimeout(resolve, 50));
           return { tx: "tx-1" };
         } })],
       };`,
    );
    place.write(
      "agents/charge.yaml",
      'prompt: Charge it.\nsignature: "(order_id :int) -> {tx :string}"\ntools: [charge_card]\n',
    );
    const charge = '(return (task "charge" (tool/charge_card {:order_id data/order_id})))';
    place.write("script.json", { charge: [program(charge)] });
    const { run, json } = place.here();
    await json(["server", "start"]);
    const worker = await place.startWorker();
    await json(["run", "charge", "--context", '{"order_id":1}', "--id", "o-1", "--detach"]);
    const calls = path.join(place.folder, "calls.log");
    await until(async () => existsSync(calls), "the call is in flight");
    expect((await json(["server", "backup", "b.tgz"])).away_ms).toBeGreaterThan(0);
    // Longer than a heartbeat may be missing: a lost call would be known by now.
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    place.write("paid", "");
    await until(
      async () => (await json(["list", "--status", "completed"])).missions?.length === 1,
      "the mission is done",
    );
    expect(readFileSync(calls, "utf8")).toBe("begun\n");
    expect(await worker.stop()).toBe(0);
    await json(["server", "stop"]);
    await json(["server", "restore", "b.tgz"]);
    await json(["server", "start"]);
    const { stdout } = await run(["list", "--status", "running"]);
    expect(stdout).toContain("o-1");
  } finally {
    await place.run(["server", "stop"]);
    place.close();
  }
});
