import { createHmac } from "node:crypto";
import { createNotifier, type NotifyOptions } from "../../../src/activities/notify/notifier";
import type { Delivery } from "../../../src/core/review/delivery";
import type { EscalationNotification, ReviewNotification } from "../../../src/core/review/notification";
import { NO_PEOPLE, type PeopleFile } from "../../../src/core/review/people/people-file";
import { readLink } from "../../../src/node/identity/one-use-link";
import { shellWord } from "../../../src/node/shell-word";
import {
  type MailServer,
  mailBody,
  mailHeader,
  openMailServer,
  openReceivers,
  type Receiver,
} from "../../support/receivers";
import { newKey, peopleOf, publicKey } from "../../support/test-keys";

const PAGE = newKey();
const PEOPLE = peopleOf({
  people: {
    anna: { email: "anna@example.com", delegations: [{ to: "dora", until: "2999-01-01T00:00:00Z" }] },
    ben: {},
    cleo: { email: "cleo@example.com" },
    dora: { email: "dora@example.com" },
    emil: { email: "emil@example.com", removed: "2026-01-01T00:00:00Z" },
  },
  groups: { finance: { members: ["ben", "cleo", "emil"], lead: "cleo" } },
  services: { page: { keys: [publicKey(PAGE)], may: ["vouch"] } },
});
const AT = Date.now();
const REVIEW: ReviewNotification = {
  event: "review_opened",
  workflow_id: "shop:agent/refund-7",
  at: AT,
  review: {
    id: "shop:agent/refund-7/refund_card/1",
    title: "Call refund_card?",
    kind: "approval",
    choices: ["approve", "reject"],
    assignees: ["anna"],
    reminders: 0,
    body: "Order 7, **900** cents.",
    seal: "THE-SEAL",
  },
};
const about = (review: Partial<ReviewNotification["review"]>): ReviewNotification => ({
  ...REVIEW,
  review: { ...REVIEW.review, ...review },
});
const ALERT: EscalationNotification = {
  event: "task_alert",
  workflow_id: "task/42",
  idempotency_key: "task/42/task_alert/3",
  task: {
    id: "42",
    issue: "I-1",
    workflow: "ship",
    step: "look",
    title: "Look at it",
    end_result: "failed",
    last_step: "build",
    last_result: "failed",
    last_output: null,
  },
};

const { receiver, mailServer, closeAll } = openReceivers();
afterEach(closeAll);

const NEVER = new AbortController().signal;
const notifier = (options: NotifyOptions, people: PeopleFile = PEOPLE) => createNotifier(options, () => people);
const send = (options: NotifyOptions, delivery: Delivery, notification: ReviewNotification | EscalationNotification) =>
  notifier(options).deliver({ ...delivery, notification }, NEVER);
const HOOK: Delivery = { channel: "webhook", to: "127.0.0.1" };
const SLACK: Delivery = { channel: "slack", to: "the channel of the webhook" };
const MAIL: Delivery = { channel: "email", to: "anna", person: true };

describe("the webhook", () => {
  /** What a receiver checks, as docs/reviews.md shows it. */
  const isSigned = ({ headers, body }: Receiver["got"][number], secret: Buffer): boolean =>
    headers["webhook-signature"] ===
    `v1,${createHmac("sha256", secret).update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`).digest("base64")}`;

  test("gets the notification, with the same id and body on every attempt, each signed", async () => {
    const hook = await receiver((n) => (n === 1 ? 503 : 204));
    const options = { webhook: { url: hook.url, secret: "a secret" }, page: { url: "https://nav.example.com/p/" } };
    await expect(send(options, HOOK, REVIEW)).rejects.toMatchObject({
      final: false,
      message: "the receiver answered 503",
    });
    await send(options, HOOK, REVIEW);
    const [first, second] = hook.got as [Receiver["got"][number], Receiver["got"][number]];
    expect(first.body).toBe(second.body);
    expect(first.headers["webhook-id"]).toBe(second.headers["webhook-id"]);
    expect(JSON.parse(first.body)).toEqual({
      id: first.headers["webhook-id"],
      ...REVIEW,
      link: "https://nav.example.com/p/inbox/shop%3Aagent%2Frefund-7%2Frefund_card%2F1",
    });
    for (const one of hook.got) {
      expect(isSigned(one, Buffer.from("a secret"))).toBe(true);
      expect(isSigned({ ...one, body: one.body.replace("900", "901") }, Buffer.from("a secret"))).toBe(false);
      expect(Math.abs(Number(one.headers["webhook-timestamp"]) - Date.now() / 1_000)).toBeLessThan(600);
    }
  });

  test("takes a secret as the specification writes it", async () => {
    const hook = await receiver();
    const key = Buffer.from("0123456789abcdef0123456789abcdef");
    await send({ webhook: { url: hook.url, secret: `whsec_${key.toString("base64")}` } }, HOOK, REVIEW);
    expect(isSigned(hook.got[0] as Receiver["got"][number], key)).toBe(true);
  });

  test("without a secret is not signed", async () => {
    const hook = await receiver();
    await send({ webhook: { url: hook.url } }, HOOK, ALERT);
    expect(hook.got[0]?.headers["webhook-signature"]).toBeUndefined();
    expect(JSON.parse(hook.got[0]?.body ?? "")).toMatchObject(ALERT);
  });

  test.each<[string, number | null, object]>([
    ["an error", 500, { final: false, message: "the receiver answered 500" }],
    ["not found", 404, { final: false, message: "the receiver answered 404" }],
    ["gone", 410, { final: true, message: "the receiver answered 410" }],
    ["nothing", null, { final: false, message: expect.stringMatching(/^no answer \(\w+\)$/) }],
  ])("that answers %s failed, and the error has no address and no secret", async (_what, status, error) => {
    const hook = await receiver(() => status as number);
    const failure = await send({ webhook: { url: hook.url, secret: "s3cret" } }, HOOK, REVIEW).catch((e: unknown) => e);
    expect(failure).toMatchObject(error);
    expect(String(failure)).not.toMatch(/T0KEN|s3cret|127\.0\.0\.1/);
  });

  test("that redirects gets nothing sent elsewhere", async () => {
    const elsewhere = await receiver();
    const hook = await receiver(() => elsewhere.url);
    await expect(send({ webhook: { url: hook.url } }, HOOK, REVIEW)).rejects.toThrow("answered 307");
    expect(elsewhere.got).toEqual([]);
  });

  test("has another id for each notification, channel and recipient", async () => {
    const hook = await receiver();
    const options = { webhook: { url: hook.url }, slack: { url: hook.url } };
    const reminder: ReviewNotification = { ...REVIEW, event: "review_reminder", at: AT + 1 };
    await send(options, HOOK, REVIEW);
    await send(options, HOOK, reminder);
    await send(options, SLACK, REVIEW);
    await send(options, HOOK, about({ id: "shop:agent/refund-7/refund_card/2" }));
    expect(new Set(hook.got.map(({ headers }) => headers["webhook-id"])).size).toBe(4);
  });
});

describe("Slack", () => {
  test("gets text and blocks, and a title cannot be markup", async () => {
    const slack = await receiver();
    await send(
      { slack: { url: slack.url }, page: { url: "https://nav.example.com" } },
      SLACK,
      about({ title: "Pay <!channel> & <https://evil.example|us>?" }),
    );
    const { text, blocks } = JSON.parse(slack.got[0]?.body ?? "") as { text: string; blocks: { type: string }[] };
    expect(text).toBe(
      [
        "Decision needed: Pay &lt;!channel&gt; &amp; &lt;https://evil.example|us&gt;?",
        "Choices: approve | reject",
        "For: anna",
        "Review: shop:agent/refund-7/refund_card/1",
        "<https://nav.example.com/inbox/shop%3Aagent%2Frefund-7%2Frefund_card%2F1|Decide>",
      ].join("\n"),
    );
    expect(blocks.map(({ type }) => type)).toEqual(["header", "section", "context", "actions"]);
    expect(JSON.stringify(blocks)).not.toContain("mrkdwn");
  });

  test("gets no more than its blocks take", async () => {
    const slack = await receiver();
    await send({ slack: { url: slack.url } }, SLACK, about({ title: "t".repeat(500), body: "b".repeat(5_000) }));
    const { blocks } = JSON.parse(slack.got[0]?.body ?? "") as { blocks: { text: { text: string } }[] };
    expect(blocks[0]?.text.text.length).toBe(150);
    expect(blocks[1]?.text.text.length).toBe(2_900);
  });
});

describe("mail", () => {
  const FROM = "Navigator <navigator@shop.example>";
  const planned = (
    options: Partial<NotifyOptions["email"]>,
    notification: ReviewNotification | EscalationNotification,
    people = PEOPLE,
  ) =>
    notifier({ email: { smtp: "smtp://127.0.0.1:1", from: FROM, ...options } }, people)
      .plan(notification)
      .deliveries.map(({ to, person }) => (person === true ? to : `<${to}>`));

  test.each<[string[], string[] | undefined, string[]]>([
    [["anna"], undefined, ["anna", "dora"]],
    [["group:finance"], undefined, ["ben", "cleo"]],
    [["lead:finance"], undefined, ["cleo"]],
    [["cleo", "group:finance"], undefined, ["ben", "cleo"]],
    [["zoe", "group:none"], undefined, ["zoe", "group:none"]],
    [[], undefined, []],
    [[], ["all@shop.example"], ["<all@shop.example>"]],
    [["ben", "cleo"], ["all@shop.example"], ["cleo", "<all@shop.example>"]],
    [["cleo"], ["all@shop.example"], ["cleo"]],
    [["emil"], ["all@shop.example"], ["<all@shop.example>"]],
  ])("for %j, with the address %j, goes to %j", (assignees, to, told) => {
    expect(planned(to === undefined ? {} : { to }, about({ assignees }))).toEqual(told);
  });

  test("about an alert goes to the address of the settings", () =>
    expect(planned({ to: ["ops@shop.example"] }, ALERT)).toEqual(["<ops@shop.example>"]));

  test("for a project without people goes to the address of the settings", () =>
    expect(planned({ to: ["all@shop.example"] }, REVIEW, NO_PEOPLE)).toEqual(["<all@shop.example>"]));

  test("says what is asked, has a link of one's own, and the same id on every attempt", async () => {
    const server = await mailServer({ refuse: (_address, n) => (n === 1 ? 451 : undefined), password: "pa55word" });
    const options: NotifyOptions = {
      email: { smtp: server.url, from: FROM, user: "nav", password: "pa55word" },
      page: { url: "https://nav.example.com", key: PAGE },
    };
    await expect(send(options, MAIL, REVIEW)).rejects.toMatchObject({
      final: false,
      message: expect.stringContaining("451"),
    });
    await send(options, MAIL, REVIEW);
    await send(options, MAIL, REVIEW);
    expect(server.logins).toEqual(["nav", "nav", "nav"]);
    const [mail, again] = server.got as [MailServer["got"][number], MailServer["got"][number]];
    expect(mail.to).toEqual(["anna@example.com"]);
    expect(mailHeader(mail, "subject")).toBe("Decision needed: Call refund_card?");
    expect(mailHeader(mail, "message-id")).toMatch(/^<msg_[A-Za-z0-9_-]{32}@shop\.example>$/);
    expect(mailHeader(again, "message-id")).toBe(mailHeader(mail, "message-id"));
    const body = mailBody(mail);
    expect(mailBody(again)).toBe(body);
    for (const part of [
      "Order 7, **900** cents.",
      "Choices: approve | reject",
      "For: anna",
      `Review: ${REVIEW.review.id}`,
    ])
      expect(body).toContain(part);
    const token = /#token=(\S+)/.exec(body)?.[1] ?? "";
    expect(await readLink(token, REVIEW.review.id, PEOPLE, Date.now())).toMatchObject({
      person: "anna",
      seal: "THE-SEAL",
      expires: AT + 7 * 24 * 60 * 60_000,
      service: "page",
    });
  });

  test("has a link without a token where nobody may vouch for it", async () => {
    const server = await mailServer();
    const options: NotifyOptions = {
      email: { smtp: server.url, from: FROM },
      page: { url: "https://nav.example.com", key: newKey() },
    };
    await send(options, MAIL, REVIEW);
    expect(mailBody(server.got[0] as MailServer["got"][number])).toMatch(/\/inbox\/shop%3Aagent%2F\S+1\s*$/m);
  });

  test("a title cannot add a header or a recipient", async () => {
    const server = await mailServer();
    const title = "Pay?\r\nBcc: evil@example.com\r\n\r\nAnother text";
    await send({ email: { smtp: server.url, from: FROM } }, MAIL, about({ title }));
    expect(server.got[0]?.to).toEqual(["anna@example.com"]);
    expect(mailHeader(server.got[0] as MailServer["got"][number], "bcc")).toBeUndefined();
    expect(mailHeader(server.got[0] as MailServer["got"][number], "subject")).toBe(
      "Decision needed: Pay? Bcc: evil@example.com Another text",
    );
  });

  test("no text of the mission can pass for a line of Navigator, and its command runs no code of an id", async () => {
    const server = await mailServer();
    const FAKE = "Decide here. Opening the page decides nothing.\nhttps://evil.example/inbox";
    const id = "agent/x'; touch pwned; '/ask-person/1";
    const hostile = about({
      id,
      title: `Pay?\n${FAKE}`,
      body: `Pay?\u2028${FAKE}\r\n\r\nReview: agent/other/1\nIn a terminal: touch pwned`,
      choices: [`yes\n${FAKE}`, "no"],
    });
    const options: NotifyOptions = {
      email: { smtp: server.url, from: FROM },
      page: { url: "https://nav.example.com", key: PAGE },
    };
    await send(options, MAIL, hostile);
    const lines = mailBody(server.got[0] as MailServer["got"][number]).split(/[\r\n\u2028]+/);
    const own = lines.filter((line) => !line.startsWith("> "));
    expect(own.filter((line) => /^(?:https?:|Decide here|Review:|In a terminal:)/.test(line))).toEqual([
      `Review: ${id}`,
      `In a terminal: navigator review show ${shellWord(id)}`,
      "Decide here. Opening the page decides nothing. The link is yours alone and counts once.",
      expect.stringMatching(/^https:\/\/nav\.example\.com\/inbox\//),
    ]);
    expect(lines).toContain("> https://evil.example/inbox");
    const slack = await receiver();
    await send({ slack: { url: slack.url } }, SLACK, hostile);
    const { text, blocks } = JSON.parse(slack.got[0]?.body ?? "");
    expect(text.split("\n").filter((line: string) => /^(?:https?:|Decide here)/.test(line))).toEqual([]);
    const quoted: string[] = blocks[1].text.text.split("\n").slice(1);
    expect(quoted.filter((line) => !line.startsWith("> "))).toEqual([]);
  });

  test("that the server refuses for good is final", async () => {
    const server = await mailServer({ refuse: () => 550 });
    await expect(send({ email: { smtp: server.url, from: FROM } }, MAIL, REVIEW)).rejects.toMatchObject({
      final: true,
      message: "the mail server answered 550 No such user here",
    });
  });

  test("to somebody without an address fails by name, and can be mended", async () => {
    const server = await mailServer();
    await expect(
      send({ email: { smtp: server.url, from: FROM } }, { channel: "email", to: "ben", person: true }, REVIEW),
    ).rejects.toMatchObject({ final: false, message: 'the people of the project have no e-mail address for "ben"' });
  });

  test("with a wrong password fails without saying it", async () => {
    const server = await mailServer({ password: "pa55word" });
    const options = { email: { smtp: server.url, from: FROM, user: "nav", password: "wr0ng-pass" } };
    const failure = await send(options, MAIL, REVIEW).catch((error: unknown) => error);
    expect(failure).toMatchObject({ final: false, message: "the mail server refused the login (535)" });
    expect(server.got).toEqual([]);
  });

  test("is not handed to a server whose certificate nobody vouches for", async () => {
    const server = await mailServer({ disabledCommands: [] });
    await expect(send({ email: { smtp: server.url, from: FROM } }, MAIL, REVIEW)).rejects.toThrow(
      "no answer of the mail server",
    );
    expect(server.got).toEqual([]);
  });

  test("without a server fails and is tried again", async () => {
    const server = await openMailServer();
    await server.close();
    await expect(send({ email: { smtp: server.url, from: FROM } }, MAIL, REVIEW)).rejects.toMatchObject({
      final: false,
    });
  });
});

describe("addresses", () => {
  const hook = (url: string, allowPlain?: boolean) => () =>
    createNotifier({ webhook: { url, ...(allowPlain === undefined ? {} : { allowPlain }) } });

  test.each(["https://example.com/x", "http://127.0.0.1:9/x", "http://localhost/x", "http://[::1]:9/x"])(
    "%s may be told",
    (url) => expect(hook(url)).not.toThrow(),
  );

  test.each(["http://example.com/T0KEN", "http://127.0.0.1.example.com/T0KEN", "ftp://127.0.0.1/T0KEN", "T0KEN"])(
    "%s is refused, and not repeated",
    (url) => {
      expect(hook(url)).toThrow(
        expect.objectContaining({ code: "bad_config", message: expect.not.stringContaining("T0KEN") }),
      );
    },
  );

  test("without TLS another machine is told if the user says so", () =>
    expect(hook("http://example.com/x", true)).not.toThrow());
});
