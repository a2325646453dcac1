import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { openPlace, program } from "../../support/cli";
import { until } from "../../support/until";

/** A mission whose worker was killed with calls that it had made and not told: nothing says that it has done nothing. */
const CONFIG = `const { defineTool } = require("navigator-agents");
  const { appendFileSync, existsSync } = require("node:fs");
  const file = (name) => __dirname + "/" + name;
  module.exports = {
    agents: [{ name: "payer", prompt: "Pay.", tools: ["pay"] }],
    script: ${JSON.stringify({ payer: [program('(do (tool/pay {:n 1}) (tool/pay {:n 2}) (return "paid"))')] })},
    tools: [defineTool({ name: "pay", signature: "(n :int) -> :int", run: async ({ n }, { idempotencyKey }) => {
      appendFileSync(file("calls.log"), n + " " + idempotencyKey + "\\n");
      while (n === 2 && !existsSync(file("paid"))) await new Promise((resolve) => setTimeout(resolve, 50));
      return n;
    } })],
  };`;

test("effects, cancel and terminate say that calls may be missing, until another worker has told them", async () => {
  const place = await openPlace("lost-calls");
  try {
    place.write("navigator.config.cjs", CONFIG);
    const here = place.here();
    const calls = path.join(place.folder, "calls.log");
    const lines = () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []);
    const worker = await place.startWorker();
    for (const id of ["one", "two", "three"])
      await here.json(["run", "payer", "--id", id, "--detach", "--model", "scripted"]);
    await until(
      async () => lines().filter((line) => line.startsWith("2 ")).length >= 3,
      "all are at their second call",
    );
    process.kill(worker.pid, "SIGKILL");
    await worker.stop();

    const progress = await here.json(["effects", "one"]);
    expect(progress.under_way).toEqual([{ run: "agent/one", what: "turn 1: model", since: expect.any(Number) }]);
    const text = async (...args: string[]) => {
      const { code, stdout, stderr } = await here.run(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      return stdout;
    };
    expect(await text("effects", "one")).toContain("Under way: turn 1: model. Its calls of the last two seconds");
    const cancelled = await text("cancel", "one", "--wait", "1s", "--by", "anna");
    expect(cancelled).toContain("Under way: turn 1: model.");
    const terminated = await text("terminate", "two", "--yes", "--by", "anna", "--reason", "wrong order");
    expect(terminated).toContain("Under way when it ended: turn 1: model. Calls that it made and did not report");
    for (const said of [cancelled, terminated]) expect(said).not.toContain("done nothing");

    place.write("paid", "");
    const next = await place.startWorker();
    const asked = await here.run(["retry", "two", "--by", "anna"]);
    expect(asked.code).not.toBe(0);
    expect(asked.stderr).toContain("Under way when it ended: turn 1: model. Calls that it made and did not report");
    expect(asked.stderr).toContain("--yes");
    const { taken_over } = await here.json(["retry", "two", "--by", "anna", "--yes"]);
    expect(taken_over.under_way).toEqual([{ run: "agent/two", what: "turn 1: model", since: expect.any(Number) }]);
    await until(async () => (await here.json(["effects", "one"])).end?.state === "cancelled", "it is cancelled");
    expect((await here.json(["effects", "one"])).under_way).toEqual([]);
    await until(async () => (await here.json(["effects", "three"])).end?.state === "completed", "the other goes on");
    const after = await here.json(["effects", "three"]);
    expect(after.under_way).toEqual([]);
    const keys = new Set(lines().map((line) => line.split(" ")[1]));
    for (const { key } of after.effects) expect(keys).toContain(key);
    expect(after.effects).toMatchObject([1, 2].map((n) => ({ args: { n }, state: "done" })));
    expect(await next.stop()).toBe(0);
  } finally {
    place.close();
  }
});
