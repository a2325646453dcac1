import type { NotifyOptions } from "../../../src/activities/notify/notifier";
import type { AgentHandle } from "../../../src/client/handles";
import { WITHDRAW } from "../../../src/core/review/decision-input";
import type { PeopleFile } from "../../../src/core/review/people/people-file";
import type { Review } from "../../../src/core/review/review";
import { nonceOfLink, readLink } from "../../../src/node/identity/one-use-link";
import { signDecision } from "../../../src/node/identity/sign-decision";
import { type ApprovalOptions, defineTool } from "../../../src/tools";
import { type MailServer, mailBody, openReceivers, type ReceivedMail } from "../../support/receivers";
import { replayAndKeep } from "../../support/record";
import type { ExportedHistory } from "../../support/recorded";
import { replay } from "../../support/replay/replay";
import { agent, fenced, openRig, type Rig } from "../../support/rig";
import { isDeep } from "../../support/run/deep";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";
import { until } from "../../support/until";

/** The outbox on a real server: each delivery is tried by itself, is never lost, and shows that it fails. */
let rig: Rig | undefined;
const { receiver, mailServer, closeAll } = openReceivers();
afterEach(async () => {
  await rig?.stop();
  rig = undefined;
  await closeAll();
});

const PEOPLE = peopleOf({
  people: { anna: { email: "anna@example.com" }, ben: { email: "ben@example.com" }, cleo: {} },
});
/** Names are taken as they are given. */
const OPEN: PeopleFile = { ...PEOPLE, policy: { unsigned: "always" } };
const payment = (approval: ApprovalOptions = { assignees: ["anna", "ben"] }) =>
  defineTool({
    name: "pay",
    signature: "(cents :int) -> :map",
    effect: "write",
    approval,
    run: (args) => args,
  });

async function ask(notify: NotifyOptions, tool = payment(), people = (): PeopleFile => OPEN): Promise<AgentHandle> {
  rig = await openRig({
    tools: [tool],
    script: [fenced('(return (task "pay_1" (tool/pay {:cents 7})))')],
    notify,
    people,
  });
  return rig.client.startAgent({ agent: agent({ tools: [tool.spec] }), model: "scripted" });
}

const opened = (run: AgentHandle): Promise<Review> =>
  until(async () => (await run.reviews()).find(({ status }) => status === "open"), "the review opens");
const approve = async (run: AgentHandle) => {
  const { id } = await opened(run);
  await run.decide({ review: id, choice: "approve", by: "anna" });
};
const historyOf = async (run: AgentHandle) =>
  (await rig?.client.history(run.workflow.workflowId)) as unknown as ExportedHistory;
const recipients = ({ got }: MailServer) => got.flatMap(({ to }) => to).sort();

test("one delivery that fails is tried again alone: the others get one message each", async () => {
  const hook = await receiver((n) => (n <= 3 ? 503 : 204));
  const slack = await receiver();
  const mail = await mailServer({ refuse: (address, n) => (address.startsWith("ben") && n <= 2 ? 451 : undefined) });
  const run = await ask({
    webhook: { url: hook.url, secret: "s" },
    slack: { url: slack.url },
    email: { smtp: mail.url, from: "nav@example.com" },
  });
  await until(async () => hook.got.length >= 4 && mail.got.length >= 2 && slack.got.length >= 1, "everybody is told");
  await until(async () => (await opened(run)).notices === undefined, "the outbox is empty");
  expect(hook.got.length).toBe(4);
  expect(new Set(hook.got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(slack.got.length).toBe(1);
  expect(recipients(mail)).toEqual(["anna@example.com", "ben@example.com"]);
  expect((await opened(run)).unheard).toBeUndefined();
  await approve(run);
  expect((await run.result()).return).toEqual({ cents: 7 });
  await replay(await historyOf(run));
});

test("what is refused for good is shown on the review at once, and the rest arrives", async () => {
  const mail = await mailServer({ refuse: (address) => (address.startsWith("ben") ? 550 : undefined) });
  const run = await ask({ email: { smtp: mail.url, from: "nav@example.com" } });
  const failed = await until(async () => (await opened(run)).unheard, "the failure is shown");
  expect(failed).toEqual([
    {
      channel: "email",
      to: "ben",
      error: "the mail server answered 550 No such user here",
      at: expect.any(Number),
      given_up: true,
    },
  ]);
  await until(async () => (await opened(run)).notices === undefined, "the outbox is empty");
  expect(recipients(mail)).toEqual(["anna@example.com"]);
  await approve(run);
  await run.result();
});

test("what fails is shown while it is tried on, and no longer when it arrives", async () => {
  let isUp = false;
  const hook = await receiver(() => (isUp ? 204 : 500));
  const run = await ask({ webhook: { url: hook.url }, showAfterMs: 1_500 });
  const [failed] = await until(async () => (await opened(run)).unheard, "the failure is shown");
  expect(failed).toMatchObject({ channel: "webhook", given_up: false });
  // The second is what a slow machine has seen by then.
  expect(["the receiver answered 500", "no answer in time: it may have arrived"]).toContain(failed?.error);
  isUp = true;
  await until(async () => (await opened(run)).unheard === undefined, "it has arrived");
  expect((await opened(run)).notices).toBeUndefined();
  await approve(run);
  await run.result();
});

test("a receiver that is only slow is shown, and tried on", async () => {
  let answer: (status: number) => void = () => {};
  const status = new Promise<number>((resolve) => {
    answer = resolve;
  });
  const hook = await receiver(() => status);
  const run = await ask({ webhook: { url: hook.url }, showAfterMs: 1_000 });
  const [slow] = await until(async () => (await opened(run)).unheard, "the delay is shown");
  expect(slow).toMatchObject({ channel: "webhook", error: "no answer in time: it may have arrived", given_up: false });
  answer(204);
  await until(async () => (await opened(run)).unheard === undefined, "it has arrived");
  expect((await opened(run)).notices).toBeUndefined();
  await approve(run);
  await run.result();
  await replayAndKeep("notified-slowly", [await historyOf(run)]);
});

test.each<{ headers: { [name: string]: string } }>([
  { headers: { "retry-after": "0" } },
  ...(isDeep
    ? [{ headers: { "retry-after-ms": "0" } }, { headers: { "retry-after": "Wed, 25 Nov 2020 00:00:00 GMT" } }]
    : []),
])("a receiver that is down and wants no pause gets the message when it is up: $headers", async ({ headers }) => {
  const hook = await receiver((n) => (n <= 2 ? 503 : 204), headers);
  const run = await ask({ webhook: { url: hook.url } });
  await until(async () => (await opened(run)).notices === undefined, "the outbox is empty");
  expect((await opened(run)).unheard).toBeUndefined();
  expect(hook.got.length).toBe(3);
  await approve(run);
  await run.result();
});

test("after its time a delivery is given up, and says so", async () => {
  const hook = await receiver(() => 500);
  const run = await ask({ webhook: { url: hook.url }, showAfterMs: 1_000, giveUpAfterMs: 3_000 });
  await until(async () => (await opened(run)).unheard?.[0]?.given_up, "it is given up");
  expect((await opened(run)).notices).toBeUndefined();
  await approve(run);
  await run.result();
});

test("when the review is decided, what was not delivered is not sent any more", async () => {
  const hook = await receiver(() => 500);
  const run = await ask({ webhook: { url: hook.url } });
  await until(async () => hook.got.length > 0, "it was tried");
  await approve(run);
  expect((await run.result()).return).toEqual({ cents: 7 });
  const history = await historyOf(run);
  expect(JSON.stringify(history)).toContain("ACTIVITY_TASK_CANCEL_REQUESTED");
  expect((await run.reviews())[0]?.notices).toBeUndefined();
  await replay(history);
});

test("the link of a mail decides once: a second decision with it is refused, and so is somebody else's", async () => {
  const mail = await mailServer();
  const page = newKey();
  const people = () => ({
    ...PEOPLE,
    services: { page: { keys: [publicKey(page)], may: ["vouch" as const] } },
  });
  const run = await ask(
    { email: { smtp: mail.url, from: "nav@example.com" }, page: { url: "https://nav.example.com", key: page } },
    payment({ assignees: ["anna", "ben"], quorum: 2 }),
    people,
  );
  await until(async () => mail.got.length === 2, "both are told");
  const { id } = await opened(run);
  /** What a page does with a link. */
  const decideBy = async (by: string, whose: string) => {
    const sent = mail.got.find(({ to }) => to[0] === `${whose}@example.com`) as ReceivedMail;
    const token = /#token=(\S+)/.exec(mailBody(sent))?.[1] ?? "";
    const link = await readLink(token, id, people(), Date.now());
    const decision = { review: id, choice: "approve", by, via: "page" as const, nonce: nonceOfLink(link, by) };
    return run.decide(await signDecision({ ...decision, seal: link.seal ?? "" }, page));
  };
  const signed = await decideBy("anna", "anna");
  expect(signed.votes?.[0]).toMatchObject({ by: "anna", principal: { id: "anna", verified: true, via: "page" } });
  const back = { review: id, choice: WITHDRAW, by: "anna", via: "page" as const, seal: signed.seal ?? "" };
  await run.decide(await signDecision(back, page));
  await expect(decideBy("anna", "anna")).rejects.toMatchObject({ code: "replayed_decision" });
  await expect(decideBy("anna", "ben")).rejects.toMatchObject({ code: "bad_link", details: { path: "anna" } });
  await decideBy("ben", "ben");
  await run.decide(await signDecision({ ...back, choice: "approve" }, page));
  expect((await run.result()).return).toEqual({ cents: 7 });
});

test("an assignee without an address is shown by name", async () => {
  const mail = await mailServer();
  const run = await ask(
    { email: { smtp: mail.url, from: "nav@example.com" }, showAfterMs: 500 },
    payment({ assignees: ["cleo"] }),
  );
  const [failed] = await until(async () => (await opened(run)).unheard, "the failure is shown");
  expect(failed).toMatchObject({ to: "cleo", error: expect.stringContaining('no e-mail address for "cleo"') });
  await run.decide({ review: (await opened(run)).id, choice: "approve", by: "cleo" });
  await run.result();
});
