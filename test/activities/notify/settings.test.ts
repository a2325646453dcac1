import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { NotifySettings, notifyOptions } from "../../../src/activities/notify/settings";
import { loadProject } from "../../../src/project/load";

const NONE = { notifyUrl: null, notifySecret: null };
const settings = (raw: object) => NotifySettings.parse(raw);

test("secrets come from the environment of the worker", () => {
  const given = settings({
    webhook: { url: "https://example.com/hook", secret_env: "HOOK_SECRET" },
    slack: { url_env: "SLACK_URL" },
    email: { smtp: "smtps://mail.example.com", from: "nav@example.com", user: "nav", password_env: "SMTP_PASSWORD" },
    page_url: "https://nav.example.com",
    show_after: "1m",
    give_up_after: "2d",
  });
  const env = { HOOK_SECRET: "a", SLACK_URL: "https://hooks.example.com/b", SMTP_PASSWORD: "c" };
  expect(notifyOptions(given, NONE, env)).toEqual({
    webhook: { url: "https://example.com/hook", secret: "a" },
    slack: { url: "https://hooks.example.com/b" },
    email: { smtp: "smtps://mail.example.com", from: "nav@example.com", user: "nav", password: "c" },
    page: { url: "https://nav.example.com" },
    showAfterMs: 60_000,
    giveUpAfterMs: 172_800_000,
  });
});

test("a variable that is not set is named", () => {
  const given = settings({ slack: { url_env: "SLACK_URL" } });
  expect(() => notifyOptions(given, NONE, { SLACK_URL: " " })).toThrow(
    expect.objectContaining({
      code: "bad_config",
      message: "notify.slack.url_env: the environment variable SLACK_URL is not set.",
    }),
  );
});

test("the address of the environment comes before that of the project, also without TLS", () => {
  const given = settings({ webhook: { url: "https://example.com/hook" } });
  expect(notifyOptions(given, { notifyUrl: "http://10.0.0.1/x", notifySecret: "s" }, {})).toEqual({
    webhook: { url: "http://10.0.0.1/x", secret: "s", allowPlain: true },
  });
  expect(notifyOptions(settings({}), NONE, {})).toEqual({});
});

test.each<[object, string]>([
  [
    { webhook: { url: "https://anna:pw@example.com" } },
    "notify.webhook.url: must be an address that begins with https://, without",
  ],
  [
    { webhook: { url: "https://example.com", secret: "x" } },
    'notify.webhook: unknown setting "secret"; there are url, secret_env',
  ],
  [{ email: { smtp: "smtps://u:p@mail.example.com", from: "a@b.example" } }, "notify.email.smtp: must be an address"],
  [
    { slack: { url: "https://hooks.example.com" } },
    "notify.slack.url_env: must be the name of an environment variable",
  ],
  [{ sms: {} }, 'notify: unknown setting "sms"; there are webhook, slack, email'],
  [{ show_after: "soon" }, 'notify.show_after: must be a text such as "5m"'],
])("the settings %j are refused by name", async (notify, message) => {
  const folder = mkdtempSync(path.join(tmpdir(), "notify-"));
  try {
    writeFileSync(path.join(folder, "navigator.config.json"), JSON.stringify({ notify }));
    await expect(loadProject(folder)).rejects.toMatchObject({
      code: "bad_project",
      message: expect.stringContaining(message),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
