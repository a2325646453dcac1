import { DecisionCheck } from "../../../../src/core/history/export/check-decisions";
import type { LinkLine } from "../../../../src/core/history/export/format";
import { sealOfAsked } from "../../../../src/core/history/export/known-review";
import type { SignatureChecks } from "../../../../src/core/history/export/signature-checks";
import { signDecision } from "../../../../src/node/identity/sign-decision";
import { verifyDecision } from "../../../../src/node/identity/verify-decision";
import { newKey, peopleOf, publicKey } from "../../../support/test-keys";

/** What the check of a ledger says to decisions that a service signed under its own name (approvals reference, section 4). */

const NOW = Date.parse("2026-06-01T12:00:00Z");
const key = newKey();
const people = peopleOf({
  people: { anna: { keys: [publicKey(newKey())] } },
  services: { worker: { keys: [publicKey(key)], may: ["sign_ledger"] } },
});

async function found(terms: { assignees?: string[]; quorum?: number }, effect: string): Promise<string[]> {
  const codes: string[] = [];
  const checks = { decision: verifyDecision } as unknown as SignatureChecks;
  const check = new DecisionCheck(people, checks, (_, code) => codes.push(code));
  const line = (kind: string, body: object, value?: object) =>
    ({ workflow: "w", link: { kind, at: NOW, body }, value }) as unknown as LinkLine;
  const review = { id: "w/1", source: "tool", title: "Pay?", choices: ["approve"], ...terms };
  const asked = { data: { effect } };
  const seal = sealOfAsked(review, asked);
  await check.read(1, line("review", { ...review, seal }, { asked }));
  const decision = await signDecision({ review: "w/1", choice: "approve", by: "worker", seal }, key, NOW);
  await check.read(2, line("decision", decision));
  return codes;
}

test.each([
  { name: "for what cannot be taken back", terms: {}, effect: "irreversible" },
  { name: "for what names nobody", terms: {}, effect: "write" },
  { name: "for what needs two", terms: { quorum: 2 }, effect: "write" },
])("no service decides $name", async ({ terms, effect }) =>
  expect(await found(terms, effect)).toEqual(["agents_may_not_decide"]),
);

test("a service decides what names it", async () =>
  expect(await found({ assignees: ["worker"] }, "write")).toEqual([]));
