import { readFileSync } from "node:fs";
import path from "node:path";
import { ownName } from "../../src/node/shell-word";
import { type Commands, openPlace, type Place, program, writeProject } from "../support/cli";
import { deepTest, isDeep } from "../support/run/deep";

/** `navigator run` and `navigator journal`, as a new user meets them: on a real server, with the worker that each run brings. */

let place: Place;
let here: Commands;
beforeAll(async () => {
  place = await openPlace("run");
  writeProject(place);
  here = place.here();
});
afterAll(() => place.close());

const context = ["--context", '{"order_id": 42}'];
const calls = () => readFileSync(path.join(place.folder, "calls.log"), "utf8").trim().split("\n");

describe("a run that ends well", () => {
  test("shows people the finished tasks, the result and the usage; the address goes to stderr", async () => {
    const end = await place.run(["run", "charge", ...context, "--id", "first"]);
    expect(end).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Run agent\/first/) });
    expect(end.stdout).toContain('Mission Log (Completed Tasks)\n- [done] charge_order_42: {"tx" "tx_42"}');
    expect(end.stdout).toContain("- [x] Charge the card — transaction tx_42");
    expect(end.stdout).toContain("Returned\n  outcome  passed\n  tx       tx_42\n");
    expect(end.stdout).toMatch(/\n1 turn(, \d+ tokens)?, [\d.]+ m?s\n$/);
    // Meant for models.
    expect(end.stdout).not.toMatch(/step-done|##/);
  });

  test("shows the same run for the same id and calls no tool again; another context needs --join", async () => {
    const before = calls().length;
    const end = await here.run(["run", "charge", ...context, "--id", "first"]);
    expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining("tx_42") });
    expect(end.stderr).toContain("was started before");
    const other = ["run", "charge", "--context", '{"order_id": 43}', "--id", "first"];
    expect(await here.run(other)).toMatchObject({ code: 2, stderr: expect.stringMatching(/context[\s\S]*--join/) });
    const joined = await here.run([...other, "--join"]);
    expect(joined).toMatchObject({ code: 0, stdout: expect.stringContaining("tx_42") });
    expect(calls()).toHaveLength(before);
  });

  test("with --json prints one document on stdout; the journal can be shown and exported afterwards", async () => {
    const { id, step } = await here.json(["run", "charge", ...context, "--id", "second"]);
    expect({ id, returned: step.return, fail: step.fail }).toEqual({
      id: "second",
      returned: { outcome: "passed", tx: "tx_42" },
      fail: null,
    });
    expect(await here.json(["journal", "show", "second"])).toMatchObject([
      { id: "charge_order_42", value: { tx: "tx_42" }, by: "task" },
    ]);
    expect(await here.json(["journal", "export", "second"])).toEqual({ charge_order_42: { tx: "tx_42" } });
    expect(calls()).toContainEqual(expect.stringMatching(/^charge_card agent\/second~[\w-]{43}~1$/));
  });

  test("an exported journal keeps the next run from repeating its tasks", async () => {
    const file = place.write("journal.json", { charge_order_42: { tx: "tx_old" } });
    const before = calls().length;
    const { step } = await here.json(["run", "charge", ...context, "--journal", `@${file}`]);
    expect(step.return).toEqual({ outcome: "passed", tx: "tx_old" });
    expect(calls()).toHaveLength(before);
  });
});

test("a context that does not fit the agent's signature is refused with the field before anything starts", async () => {
  const wrong = ["run", "charge", "--context", '{"order_id": "forty-two"}', "--id", "wrong"];
  const error = await here.refused(wrong);
  expect(error).toMatchObject({
    code: "validation_error",
    message: expect.stringContaining('order_id: cannot coerce string "forty-two"'),
  });
  expect((await here.run(wrong)).stderr).toContain('context.order_id: cannot coerce string "forty-two" to integer');
  expect(await here.refused(["log", "wrong"])).toMatchObject({ code: "not_found" });
});

test("a budget limits the run; one that says nothing or something wrong is refused before anything starts", async () => {
  const { fail } = (await here.json(["run", "charge", ...context, "--budget", "tokens=1,when_spent=end"], { code: 1 }))
    .step;
  expect(fail).toMatchObject({ reason: "budget_callback_exceeded" });
  expect(await here.json(["run", "charge", ...context, "--budget", "tokens=200000, when_spent=park"])).toMatchObject({
    step: { fail: null },
  });
  for (const [budget, said] of Object.entries({
    "usd=2": 'no part "usd": its parts are cost, tokens, when_spent',
    "cost=0": 'cost="0": it must be US dollars',
    "tokens=1.5": 'tokens="1.5": it must be a whole number',
    "tokens=0x10": 'tokens="0x10": it must be a whole number',
    "cost=1,cost=2": "cost twice",
    "when_spent=end": "must limit cost, tokens or both",
  }))
    for (const command of [
      ["run", "charge", ...context],
      ["chat", "charge"],
    ])
      expect(await here.refused([...command, "--id", "dear", "--budget", budget])).toMatchObject({
        code: "bad_usage",
        message: expect.stringContaining(said),
      });
  expect(await here.refused(["log", "dear"])).toMatchObject({ code: "not_found" });
});

test("a run that fails prints the reason and exits with code 1, with and without --json", async () => {
  const end = await here.run(["run", "fails"]);
  expect(end).toMatchObject({ code: 1, stdout: expect.stringContaining("Failed [") });
  expect(end.stdout).toMatch(/ {2}It was not to be\.\n$/);
  const { step } = await here.json(["run", "fails"], { code: 1 });
  expect(step.fail).toMatchObject({ details: { user_fail: true } });
});

describe("a run that waits for a person", () => {
  test("exits with code 4 and says how to continue; a decision waits for a worker, and the same command takes it", async () => {
    const asked = await here.run(["run", "asks", ...context, "--id", "waits"]);
    expect(asked).toMatchObject({ code: 4, stdout: expect.stringContaining("Waiting for a decision.") });
    expect(asked.stdout).toContain("  for  payment\n");
    expect(asked.stdout).toContain(`navigator journal set waits JOURNAL_ID VALUE --by ${ownName()}`);

    // Nobody serves the queue now: the command must neither hang nor lose the decision.
    const set = ["journal", "set", "waits", "payment_confirmed", "true", "--by", "anna", "--note", "seen on the bank"];
    const sent = await here.run(set);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("No worker is running") });

    const done = await here.run(["run", "asks", ...context, "--id", "waits"]);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("status  shipped") });
    const shown = await here.run(["journal", "show", "waits"]);
    expect(shown.stdout).toMatch(/^ID +VALUE +BY +AT \(UTC\) +NOTE$/m);
    expect(shown.stdout).toMatch(/^payment_confirmed +true +anna +[\d-]+ [\d:]+ +seen on the bank$/m);

    expect(await here.refused([...set, "--overwrite"])).toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/has ended/),
    });
  });

  test("with a worker a decision is answered at once, and a record is never replaced by accident", async () => {
    expect(await here.json(["run", "asks", ...context, "--id", "waits-2"], { code: 4 })).toMatchObject({
      id: "waits-2",
      status: "waiting",
      waiting: { status: "waiting", for: "payment" },
    });
    const set = ["journal", "set", "waits-2", "seen", '{"by": "camera"}', "--by", "anna"];
    const worker = await place.worker();
    try {
      expect(await here.json(set)).toMatchObject({ id: "seen", value: { by: "camera" }, by: "anna" });
      expect(await here.refused(set)).toMatchObject({
        code: "already_exists",
        message: expect.stringMatching(/"seen".*anna/),
      });
      expect(await here.json([...set, "--overwrite", "--note", "again"])).toMatchObject({ note: "again" });
    } finally {
      await worker.stop();
    }
    expect(await here.refused(set)).toMatchObject({
      code: "already_exists",
      details: { path: "seen", kind: "record" },
    });
  });

  deepTest("with --return-waiting ends with exit code 4, and its journal starts the next run", async () => {
    const { id, step } = await here.json(["run", "asks", ...context, "--return-waiting"], { code: 4 });
    expect(step.return).toEqual({ status: "waiting", for: "payment" });
    const journal = { ...(await here.json(["journal", "export", id])), payment_confirmed: true };
    const next = await here.json(["run", "asks", ...context, "--journal", JSON.stringify(journal)]);
    expect(next.step.return).toEqual({ status: "shipped" });
  });
});

describe("a run that asks for an approval", () => {
  beforeAll(() => {
    place.write(
      "approvals/navigator.config.cjs",
      `const { defineTool } = require("navigator-agents");
       const pay = defineTool({ name: "pay", approval: true, signature: "(n :int) -> :int", run: ({ n }) => n });
       module.exports = { agents: "./agents", script: "./script.json", tools: [pay] };`,
    );
    place.write("approvals/agents/payer.yaml", "prompt: Pay.\ntools: [pay]\n");
    place.write("approvals/agents/boss.yaml", BOSS);
    place.write("approvals/script.json", {
      payer: [program("(return (tool/pay {:n 3}))")],
      boss: [program("(return (tool/child {}))")],
    });
  });
  const BOSS =
    'prompt: Have it paid.\ntools: [{ name: child, description: Pays, agent: { name: payer, prompt: "Pay.", tools: [pay] } }]\n';

  test.each([
    ...(isDeep ? [{ agent: "payer", asks: "the mission itself", review: "agent/payer/pay/1" }] : []),
    { agent: "boss", asks: "an agent below it", review: "agent/boss/child/1.1/pay/1" },
  ])("exits with code 4 and the commands that decide when $asks asks; the same command goes on", async (row) => {
    const { agent, review } = row;
    const args = ["run", agent, "--id", agent, "--config", "approvals"];
    const asked = await here.run(args);
    expect(asked.code).toBe(4);
    expect(asked.stdout).toContain(`  Decide:  navigator review decide ${review} approve --by ${ownName()} --signal\n`);
    const decide = ["review", "decide", review, "approve", "--by", "anna", "--signal"];
    expect(await here.run(decide)).toMatchObject({ code: 0 });
    expect((await here.json(args)).step.return).toBe(3);
  });
});

test("a run that no worker can continue says so and what to do, and ends with configuration_error after the limit", async () => {
  place.write("agents/lonely.yaml", "prompt: Nobody answers.\n");
  // The limit is over before the command looks whether the run is blocked.
  const end = await here.run(["run", "lonely", "--id", "lonely"], { env: { NAVIGATOR_BLOCKED_TIMEOUT: "1s" } });
  expect(end.code).toBe(1);
  expect(end.stderr).toMatch(/\nblocked: .*script\.json has no replies for agent "lonely"/);
  expect(end.stderr).toContain("Correct it where the worker runs, and start the worker again.");
  expect(`${end.stdout}${end.stderr}`).toContain("configuration_error");
});

test("--detach starts the run and returns; another worker does the work", async () => {
  const { id, workflow_id } = await here.json(["run", "charge", ...context, "--detach"]);
  expect(workflow_id).toBe(`agent/${id}`);
  const done = await here.run(["run", "charge", ...context, "--id", id]);
  expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining("passed") });
});

describe("models", () => {
  const said = (text: string) => ({ default: [`\`\`\`clojure\n(return {:status "${text}"})\n\`\`\``] });

  deepTest(
    "the FILE of scripted:FILE is relative to the current folder, as --model, as NAVIGATOR_MODEL and in an agent file",
    async () => {
      place.write("said.json", said("by option"));
      const file = place.write("elsewhere/said.json", said("by setting"));
      place.write("own-model.yaml", `prompt: Say it.\nmodel: scripted:${file}\n`);
      const byOption = await here.json(["run", "asks", ...context, "--model", "scripted:said.json"]);
      const bySetting = await here.json(["run", "asks", ...context], {
        env: { NAVIGATOR_MODEL: "scripted:elsewhere/said.json" },
      });
      const byAgent = await here.json(["run", "own-model.yaml"]);
      expect([byOption, bySetting, byAgent].map(({ step }) => step.return.status)).toEqual([
        "by option",
        "by setting",
        "by setting",
      ]);
    },
  );

  test.each([
    { model: "scripted:none.json", message: "--model: The script cannot be used. There is no file", hint: "folder" },
    { model: "scripted:broken.json", message: "broken.json:1:9: ", hint: "A script is a list" },
    { model: "scripted:graph.json", message: "graph.json is not a script: ", hint: "A script is a list" },
    { model: "gpt", message: 'There is no model "gpt". Available: scripted, ', hint: "provider/model" },
    { model: "anthropic/some-model", message: "needs an API key: set ANTHROPIC_API_KEY", hint: "--detach" },
  ])("$model is refused before anything starts", async ({ model, message, hint }) => {
    place.write("broken.json", '{"asks":}');
    const error = await here.refused(["run", "asks", ...context, "--model", model]);
    expect(error).toMatchObject({ code: "invalid_input", details: { path: "model" } });
    expect(error.message).toContain(message);
    expect(error.hint).toContain(hint);
  });

  test("a bad script in NAVIGATOR_MODEL is reported under the name of that setting", async () => {
    const error = await here.refused(["run", "asks", ...context], { env: { NAVIGATOR_MODEL: "scripted:none.json" } });
    expect(error.message).toMatch(/^NAVIGATOR_MODEL: .*none\.json/);
  });
});

test("a tool that the project does not have is refused, unless another worker does the work", async () => {
  place.write("wants.yaml", "prompt: Do it.\ntools: [charge_card, refund_card]\n");
  const error = await here.refused(["run", "wants.yaml"]);
  expect(error).toMatchObject({ code: "tool_not_found", hint: expect.stringContaining("--detach") });
  expect(error.message).toMatch(/"refund_card".*Tools of the project: charge_card\.$/);
  await here.json(["run", "wants.yaml", "--detach"]);
});
