import { chmodSync, existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { freePortPair } from "../../prove/rig/free-port-pair";
import { openPlace, program } from "../support/cli";
import { until } from "../support/until";

/** Temporal counts a call as lost whose heartbeats are missing for longer than its limit: the server must go on for all of a backup. */
test("a call in flight is made once, however long a backup takes; the restored server has its mission", async () => {
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
         tools: [defineTool({ name: "charge_card", signature: "(order_id :int) -> {tx :string}", heartbeat: "10s", run: async () => {
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
    // The packing takes longer than a heartbeat may be missing.
    const tar = place.write("bin/tar", `#!/bin/sh\nsleep 12\nPATH=/usr/bin:/bin exec tar "$@"\n`);
    chmodSync(tar, 0o755);
    await place.json(["server", "start"]);
    const worker = await place.startWorker();
    await place.json(["run", "charge", "--context", '{"order_id":1}', "--id", "o-1", "--detach"]);
    const calls = path.join(place.folder, "calls.log");
    await until(async () => existsSync(calls), "the call is in flight");
    const env = { PATH: `${path.dirname(tar)}:${process.env.PATH}` };
    await place.json(["server", "backup", "b.tgz"], { env });
    place.write("paid", "");
    await until(
      async () => (await place.json(["list", "--status", "completed"])).missions?.length === 1,
      "the mission is done",
    );
    expect(readFileSync(calls, "utf8")).toBe("begun\n");
    expect(await worker.stop()).toBe(0);
    await place.json(["server", "stop"]);
    await place.json(["server", "restore", "b.tgz"]);
    await place.json(["server", "start"]);
    const { stdout } = await place.run(["list", "--status", "running"]);
    expect(stdout).toContain("o-1");
  } finally {
    await place.run(["server", "stop"]);
    place.close();
  }
});
