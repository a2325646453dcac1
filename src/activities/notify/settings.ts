import { z } from "zod";
import { defined } from "../../core/base/defined";
import { durationMs } from "../../core/base/duration";
import { NavigatorError } from "../../core/base/navigator-error";
import { serviceKey } from "../../node/identity/key-store";
import { knownSecrets } from "../../node/secrets/known-secrets";
import type { EmailOptions } from "./email";
import type { NotifyOptions } from "./notifier";

const text = (expected: string) => z.string(expected).trim().min(1, expected);
const variable = z
  .string("must be the name of an environment variable")
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be the name of an environment variable");
const plain = z.boolean("must be true or false").optional();
const duration = z
  .unknown()
  .transform((given) => durationMs(given))
  .pipe(z.number('must be a text such as "5m"'));
const address = (scheme: string) =>
  text(`must be an address that begins with ${scheme}://`).refine(
    (given) => URL.canParse(given) && !new URL(given).username && !new URL(given).password,
    `must be an address that begins with ${scheme}://, without a name or a password`,
  );

/**
 * `notify` in the configuration of a project. A secret is never in the file: a setting that ends in `_env` names the variable
 * of the worker's environment that has it.
 */
export const NotifySettings = z.strictObject(
  {
    webhook: z
      .strictObject(
        { url: address("https"), secret_env: variable.optional(), allow_plain: plain },
        "must be a map with url",
      )
      .optional(),
    slack: z.strictObject({ url_env: variable, allow_plain: plain }, "must be a map with url_env").optional(),
    email: z
      .strictObject(
        {
          smtp: address("smtps"),
          user: text("must be a name").optional(),
          password_env: variable.optional(),
          from: text("must be an e-mail address"),
          to: z.array(z.email("must be an e-mail address"), "must be a list of e-mail addresses").optional(),
          allow_plain: plain,
        },
        "must be a map with smtp and from",
      )
      .optional(),
    page_url: address("https").optional(),
    /** The service of people.yaml that signs links to the page: it may vouch. */
    service: text("must be the name of a service in people.yaml").optional(),
    show_after: duration.optional(),
    give_up_after: duration.optional(),
  },
  "must be a map of webhook, slack, email, page_url, service, show_after, give_up_after",
);
export type NotifySettings = z.output<typeof NotifySettings>;

/** The webhook of the environment: NAVIGATOR_NOTIFY_URL and NAVIGATOR_NOTIFY_SECRET. */
interface NotifyEnvironment {
  notifyUrl: string | null;
  notifySecret: string | null;
}

/**
 * Reads the settings that a worker needs to notify people: those of the project with their secrets, and the webhook of
 * the environment, whose address comes before that of the project.
 *
 * @throws NavigatorError `bad_config` for a variable that is not set
 */
export function notifyOptions(
  settings: NotifySettings,
  { notifyUrl, notifySecret }: NotifyEnvironment,
  env: NodeJS.ProcessEnv = process.env,
): NotifyOptions {
  const { webhook, slack, email, page_url, service, show_after, give_up_after } = settings;
  const secretOf: SecretOf = (setting, name) => secretIn(env, setting, name);
  const secret = secretOf("webhook.secret_env", webhook?.secret_env) ?? notifySecret ?? undefined;
  // An address from the environment may also be one without TLS.
  const url = notifyUrl ?? webhook?.url;
  const allowPlain = notifyUrl !== null || webhook?.allow_plain;
  return {
    ...(url === undefined ? {} : { webhook: { url, ...defined({ secret, allowPlain }) } }),
    ...(slack === undefined ? {} : { slack: slackOptions(slack, secretOf) }),
    ...(email === undefined ? {} : { email: emailOptions(email, secretOf) }),
    ...(page_url === undefined
      ? {}
      : { page: { url: page_url, ...(service === undefined ? {} : { key: serviceKey(service) }) } }),
    ...defined({ showAfterMs: show_after, giveUpAfterMs: give_up_after }),
  };
}

/** The value of the variable that a setting names; undefined: it names none. */
type SecretOf = (setting: string, name: string | undefined) => string | undefined;

function secretIn(env: NodeJS.ProcessEnv, setting: string, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const value = env[name];
  if (value !== undefined && value.trim() !== "") {
    knownSecrets.add(name, value.trim());
    return value.trim();
  }
  throw new NavigatorError("bad_config", `notify.${setting}: the environment variable ${name} is not set.`, {
    details: { path: `notify.${setting}` },
  });
}

const slackOptions = (
  slack: NonNullable<NotifySettings["slack"]>,
  secretOf: SecretOf,
): NonNullable<NotifyOptions["slack"]> => ({
  url: secretOf("slack.url_env", slack.url_env) as string,
  ...defined({ allowPlain: slack.allow_plain }),
});

const emailOptions = (email: NonNullable<NotifySettings["email"]>, secretOf: SecretOf): EmailOptions => ({
  smtp: email.smtp,
  from: email.from,
  ...defined({
    user: email.user,
    password: secretOf("email.password_env", email.password_env),
    to: email.to,
    allowPlain: email.allow_plain,
  }),
});
