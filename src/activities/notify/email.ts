import { cutText } from "../../core/base/whole-characters";
import type { Delivery } from "../../core/review/delivery";
import type { Notification } from "../../core/review/notification";
import { actsAs, authorityOf } from "../../core/review/people/authority";
import type { PeopleFile } from "../../core/review/people/people-file";
import { shellWord } from "../../node/shell-word";
import { isLoopbackHost } from "./address";
import { type Channel, DeliveryError, decisionFacts, headline, type OutgoingMessage, quotedBody } from "./channel";

const PATIENCE_MS = 20_000;

/** Where mails are handed in, and who they are from. */
export interface EmailOptions {
  /** `smtps://HOST:PORT`, or `smtp://HOST:PORT` for STARTTLS. */
  smtp: string;
  user?: string;
  password?: string;
  from: string;
  /** Addresses that get what is for nobody whose address is known. */
  to?: string[];
  /** Without TLS to another machine. */
  allowPlain?: boolean;
}

/**
 * Sends mails to the people who may decide: the assignees, the members of their groups, and their current substitutes.
 * An address is looked up when the mail is sent, so that a corrected one helps the next attempt.
 */
export function emailChannel(smtp: URL, options: EmailOptions, people: () => PeopleFile): Channel {
  const { to: others = [] } = options;
  const addressOf = (name: string): string | undefined => {
    const file = people();
    const person = Object.hasOwn(file.people, name) ? file.people[name] : undefined;
    return person?.removed === undefined ? person?.email : undefined;
  };
  return {
    recipients(notification) {
      const words = "review" in notification ? notification.review.assignees : [];
      const names = namesFor(people(), words);
      const known = names.filter((name) => addressOf(name) !== undefined);
      const unknown = names.filter((name) => !known.includes(name));
      const rest = words.length === 0 || unknown.length > 0 ? others : [];
      // A person without an address is named, too, if nobody gets the mail instead: the inbox shows the failed
      // delivery.
      const receivers = others.length > 0 ? known : names;
      return [
        ...receivers.map((to): Omit<Delivery, "channel"> => ({ to, person: true })),
        ...rest.map((to) => ({ to })),
      ];
    },
    async send(message, signal) {
      const address = message.person === true ? addressOf(message.to) : message.to;
      if (address === undefined)
        throw new DeliveryError(`the people of the project have no e-mail address for "${message.to}"`);
      await sendMail(smtp, options, { ...message, address }, signal);
    },
  };
}

async function sendMail(
  smtp: URL,
  options: EmailOptions,
  message: OutgoingMessage & { address: string },
  signal: AbortSignal,
): Promise<void> {
  const { from, password } = options;
  // Loaded by the first mail: most workers send none.
  const { createTransport } = await import("nodemailer");
  const transport = createTransport(connectionOf(smtp, options));
  const stop = () => transport.close();
  signal.addEventListener("abort", stop);
  try {
    await transport.sendMail({
      from,
      to: { name: "", address: message.address },
      subject: headline(message.notification),
      text: mailText(message),
      messageId: `<${message.id}@${domainOf(from)}>`,
      headers: { "Auto-Submitted": "auto-generated" },
    });
  } catch (error) {
    throw deliveryError(error, password);
  } finally {
    signal.removeEventListener("abort", stop);
    transport.close();
  }
}

function connectionOf(smtp: URL, { user, password, allowPlain = false }: EmailOptions) {
  const secure = smtp.protocol === "smtps:";
  const host = smtp.hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    port: Number(smtp.port || (secure ? 465 : 587)),
    secure,
    requireTLS: !secure && !allowPlain && !isLoopbackHost(smtp.hostname),
    ...(user === undefined ? {} : { auth: { user, pass: password ?? "" } }),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** The people who may decide now, and the words for which there is nobody. */
function namesFor(file: PeopleFile, words: readonly string[]): string[] {
  const now = Date.now();
  const people = Object.keys(file.people).filter((name) => file.people[name]?.removed === undefined);
  const standsFor = (name: string, some: readonly string[]) => actsAs(authorityOf(file, name, now), some) !== null;
  return [
    ...people.filter((name) => standsFor(name, words)),
    ...words.filter((word) => !people.some((name) => standsFor(name, [word]))),
  ];
}

/** Navigator's own lines come first, and the mission's text is quoted: no line of it can look like one of them. */
function mailText({ notification, link, person }: OutgoingMessage): string {
  return [headline(notification), factLines(notification), linkText(link, person === true), quotedBody(notification)]
    .filter((part) => part !== "")
    .join("\n\n");
}

function factLines(notification: Notification): string {
  if (!("review" in notification)) return `Workflow: ${notification.workflow_id}`;
  const { id, choices, assignees, expires_at } = notification.review;
  return [
    ...decisionFacts(choices, assignees),
    ...(expires_at === undefined ? [] : [`Until: ${new Date(expires_at).toISOString()}`]),
    `Review: ${id}`,
    `In a terminal: navigator review show ${shellWord(id)}`,
  ].join("\n");
}

const linkText = (link: string | null, own: boolean): string =>
  link === null
    ? ""
    : `Decide here. Opening the page decides nothing.${own ? " The link is yours alone and counts once." : ""}\n${link}`;

const domainOf = (from: string): string => /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? "navigator.invalid";

/** A refusal of the mail server with a code of 500 or more is final, except for one of the login: that can be mended. */
function deliveryError(error: unknown, password: string | undefined): DeliveryError {
  const {
    code = "error",
    responseCode,
    response = "",
  } = error as {
    code?: string;
    responseCode?: number;
    response?: string;
  };
  if (code === "EAUTH") return new DeliveryError(`the mail server refused the login (${responseCode ?? code})`);
  if (responseCode === undefined) return new DeliveryError(`no answer of the mail server (${code})`);
  const [line = ""] = response.split(/[\r\n]/);
  const safe = password === undefined || password === "" ? line : line.replaceAll(password, "[secret]");
  return new DeliveryError(`the mail server answered ${cutText(safe, 200)}`, { final: responseCode >= 500 });
}
