import { openRun, runAgent } from "../../../../src/core/agent/run/run";
import { ok } from "../../../../src/core/base/failure";
import type { Json } from "../../../../src/core/base/json";
import { maskedArguments, maskOf } from "../../../../src/core/calls/secret-mask";
import { scriptedModel } from "../../../../src/models/scripted";
import { KnownSecrets } from "../../../../src/node/secrets/known-secrets";
import { MemoryHost } from "../../../../src/simulate/memory-host";
import { agentOf, fenced } from "../run/mission";

/** A model repeats the mask of a secret, which it has read, as an argument (docs/security.md, "Secrets"). */

const MASK = maskOf("BANK_TOKEN");

test("a payment with a mask in place of an argument is not made, and nobody is asked; with the right value it is", async () => {
  const program = `(return {:first (tool-try (tool/pay {:to {:iban "${MASK}"}})) :second (tool/pay {:to {:iban "DE02"}})})`;
  const host = new MemoryHost({
    model: scriptedModel([{ content: fenced(program) }], "the test"),
    tools: new Map([["pay", () => ok("tx_1")]]),
    decisions: [{ choice: "approve", by: "anna" }],
  });
  const agent = agentOf({ tools: [{ name: "pay", effect: "irreversible", approval: true }], max_turns: 3 });
  const step = await runAgent(host, { context: {}, journal: {}, model: "scripted", agent });
  expect(step.fail).toBeNull();
  expect(step.return).toMatchObject({
    first: { error: expect.objectContaining({ code: "secret_in_arguments" }) },
    second: "tx_1",
  });
  expect(host.toolCalls.map(({ name }) => name)).toEqual(["pay"]);
  expect(host.reviews).toHaveLength(1);
});

/** A mission whose worker learns a secret after the program began: what it writes from then on has the mask, as after continue-as-new. */
async function paused(secrets: KnownSecrets) {
  const program = `
    (task "paid" (tool/pay {:cents 5}))
    (return {:again (task "paid" (tool/pay {:cents 5}))
             :other (task (str "to " data/note) (tool-try (tool/pay {:to data/note})))})`;
  const host = new MemoryHost({
    model: scriptedModel([{ content: fenced(program) }], "the test"),
    tools: new Map([["pay", () => ok("tx")]]),
    decide: () => ({ choice: "approve", by: "anna" }),
  });
  let pause = false;
  const pausing = Object.assign(Object.create(host), { shouldPause: () => pause });
  const agent = agentOf({ tools: [{ name: "pay", effect: "irreversible", approval: true }], max_turns: 3 });
  let input = { context: { note: "acct-12345678" }, journal: {}, model: "scripted", agent };
  let run = openRun(pausing, input);
  for (let pauses = 0; ; ) {
    queueMicrotask(() => {
      pause = true;
    });
    const step = await run.turn();
    pause = false;
    if (step !== null) return { step, pauses, calls: host.toolCalls, reviews: host.reviews };
    if (!run.isPaused) continue;
    pauses++;
    input = secrets.maskJson(input as unknown as Json) as unknown as typeof input;
    run = openRun(pausing, input, secrets.maskJson(JSON.parse(JSON.stringify(run.state))) as never);
  }
}

test("a secret that a worker learns in the middle of a run changes no effect and no approval; an effect that needs its value is not made", async () => {
  const secrets = new KnownSecrets();
  secrets.add("ACCOUNT", "acct-12345678");
  const [plain, masked] = [await paused(new KnownSecrets()), await paused(secrets)];
  expect([plain.pauses > 0, masked.pauses > 0]).toEqual([true, true]);
  expect([plain.step.fail, masked.step.fail]).toEqual([null, null]);
  expect(plain.calls.map(({ args }) => args)).toEqual([{ cents: 5 }, { to: "acct-12345678" }]);
  // Neither the key nor the approval of the recorded payment has changed, and it is made once.
  expect(masked.calls.map(({ args, key }) => ({ args, key }))).toEqual([
    { args: { cents: 5 }, key: plain.calls[0]?.key },
  ]);
  expect(masked.step.return).toMatchObject({ again: "tx", other: { error: { code: "secret_in_arguments" } } });
  expect(masked.reviews).toEqual(plain.reviews.slice(0, 1));
});

test.each([
  ["read", { note: MASK }, null],
  ["write", { notes: ["x", { deep: `it is ${MASK}.` }] }, "BANK_TOKEN"],
  ["irreversible", { [MASK]: 1 }, "BANK_TOKEN"],
  ["write", { note: "[secret santa], then [secret BANK_TOKEN]" }, "BANK_TOKEN"],
  ["irreversible", { memo: "Office gift [secret santa]", a: "[secret Agent-7]", b: "[secret 42]" }, null],
  ["write", { note: "a secret BANK_TOKEN, [secret ] and [secret two words]", n: 1, none: null }, null],
] as const)("a call with the effect %s and the arguments %j is refused for %s", (effect, args, secret) => {
  const refused = maskedArguments({ name: "pay", effect }, args as never);
  expect(refused?.details?.secret ?? null).toBe(secret);
});

test.each([
  "BANK_TOKEN",
  "PASS",
  "password",
  "Token",
  "k",
  "api-key",
  "42",
  "mcp.own.token",
  "the login to shop",
  "w".repeat(80),
])("the mask of a secret that is called %s is no text of people", (name) =>
  expect(maskedArguments({ name: "pay", effect: "write" }, { to: maskOf(name) })).not.toBeNull(),
);
