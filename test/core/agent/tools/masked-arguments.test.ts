import { runAgent } from "../../../../src/core/agent/run/run";
import { ok } from "../../../../src/core/base/failure";
import { maskedArguments, maskOf } from "../../../../src/core/calls/secret-mask";
import { scriptedModel } from "../../../../src/models/scripted";
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

test.each([
  ["read", { note: MASK }, null],
  ["write", { notes: ["x", { deep: `it is ${MASK}.` }] }, "BANK_TOKEN"],
  ["irreversible", { [MASK]: 1 }, "BANK_TOKEN"],
  ["write", { note: "a secret BANK_TOKEN, [secret ] and [secret two words]", n: 1, none: null }, null],
] as const)("a call with the effect %s and the arguments %j is refused for %s", (effect, args, secret) => {
  const refused = maskedArguments({ name: "pay", effect }, args as never);
  expect(refused?.details?.secret ?? null).toBe(secret);
});
