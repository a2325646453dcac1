import { setTimeout as wait } from "node:timers/promises";
import { defineTool } from "../../../src/tools";
import { testAddress } from "../../support/environment";
import { gate } from "../../support/gate";
import { agent, fenced, openRig } from "../../support/rig";
import { NetworkLine } from "../../support/servers/network-line";

/** The line between a worker and the server is down while the worker makes calls (docs/decisions/0068). */

const CASES = [4, 10, 30].flatMap((seconds) =>
  (["cut", "freeze"] as const).flatMap((how) => [
    { seconds, how, answers: "while it is down" as const },
    { seconds, how, answers: "after it" as const },
  ]),
);

test.each(CASES)("$how for $seconds s, and the tools answer $answers: each is called once", async (one) => {
  const { seconds, how, answers } = one;
  const calls: string[] = [];
  const begun = gate();
  const answered = gate();
  const tool = (name: string, effect: "write" | "idempotent" | "irreversible") =>
    defineTool({
      ...{ name, effect, signature: "() -> :string" },
      run: async () => {
        calls.push(name);
        if (calls.length === 4) begun.open();
        await answered.opened;
        return name;
      },
    });
  const tools = [tool("wire", "irreversible"), tool("pay", "write"), tool("put", "idempotent"), tool("last", "write")];
  const program = fenced("(return (pcalls #(tool/wire {}) #(tool/pay {}) #(tool/put {}) #(tool/last {})))");
  const line = await NetworkLine.to(testAddress());
  const rig = await openRig({ tools, script: [program], workerAddress: line.address });
  try {
    const specs = tools.map(({ spec }) => spec);
    const run = await rig.client.startAgent({ agent: agent({ tools: specs, max_turns: 1 }), model: "scripted" });
    await begun.opened;
    line[how]();
    if (answers === "while it is down") answered.open();
    await wait(seconds * 1_000);
    line.mend();
    if (answers === "after it") answered.open();
    expect((await run.result()).return).toEqual(["wire", "pay", "put", "last"]);
    expect([...calls].sort()).toEqual(["last", "pay", "put", "wire"]);
  } finally {
    line.mend();
    await rig.stop();
    await line.close();
  }
});
