import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";

/** What a receiver of a webhook got. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  /** Everything that came, also what was answered with an error. */
  got: Received[];
  close(): Promise<void>;
}

/**
 * A receiver of webhooks on loopback.
 *
 * @param answer the status of its answer to the nth request, from 1; a text is the place of a redirect; null = it breaks the
 *   connection off without an answer
 * @param headers of each answer
 */
export async function openReceiver(
  answer: (n: number) => number | string | null | Promise<number> = () => 204,
  headers: { [name: string]: string } = {},
): Promise<Receiver> {
  const got: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    got.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    const status = await answer(got.length);
    if (status === null) return void request.socket.destroy();
    if (typeof status === "string") response.writeHead(307, { location: status });
    else response.writeHead(status, headers);
    response.end("an answer that nobody reads: s3cret");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/T0KEN`,
    got,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A mail as it was handed in. */
export interface ReceivedMail {
  to: string[];
  from: string;
  /** The lines of the mail, headers first. */
  text: string;
}

export interface MailServer {
  url: string;
  got: ReceivedMail[];
  /** The names that somebody logged in with. */
  logins: string[];
  close(): Promise<void>;
}

/**
 * An SMTP server on loopback.
 *
 * @param options.refuse the code with which it refuses a recipient, if it does
 */
export async function openMailServer(
  options: SMTPServerOptions & {
    refuse?: (address: string, n: number) => number | undefined;
    /** Waited for before the nth mail, from 1, is acknowledged. */
    accept?: (n: number) => Promise<void> | void;
    password?: string;
  } = {},
): Promise<MailServer> {
  const got: ReceivedMail[] = [];
  const logins: string[] = [];
  let asked = 0;
  const { refuse = () => undefined, accept = () => {}, password, ...rest } = options;
  const server = new SMTPServer({
    authOptional: password === undefined,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth: (auth, _session, done) => {
      logins.push(auth.username ?? "");
      if (auth.password === password) done(null, { user: auth.username });
      else done(new Error(`Wrong password ${auth.password}`));
    },
    onRcptTo: ({ address }, _session, done) => {
      asked += 1;
      const code = refuse(address, asked);
      done(code === undefined ? null : Object.assign(new Error("No such user here"), { responseCode: code }));
    },
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", async () => {
        const { mailFrom, rcptTo } = session.envelope;
        got.push({
          to: rcptTo.map(({ address }) => address),
          from: mailFrom === false ? "" : mailFrom.address,
          text: Buffer.concat(chunks).toString(),
        });
        await accept(got.length);
        done();
      });
    },
    ...rest,
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    got,
    logins,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Receivers and mail servers that are closed together: give `closeAll` to `afterEach`. */
export function openReceivers() {
  const open: { close(): Promise<void> }[] = [];
  const kept = async <T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> => {
    const opened = await opening;
    open.push(opened);
    return opened;
  };
  return {
    receiver: (...given: Parameters<typeof openReceiver>) => kept(openReceiver(...given)),
    mailServer: (...given: Parameters<typeof openMailServer>) => kept(openMailServer(...given)),
    closeAll: async () => {
      for (const one of open.splice(0)) await one.close();
    },
  };
}

/** A mail's header, unfolded. */
export const mailHeader = ({ text }: ReceivedMail, name: string): string | undefined =>
  new RegExp(`^${name}: (.*)$`, "im").exec(text.split("\r\n\r\n")[0]?.replace(/\r\n[ \t]+/g, " ") ?? "")?.[1];

/** The text of a mail, whatever its encoding on the way. */
export function mailBody({ text }: ReceivedMail): string {
  const body = text.slice(text.indexOf("\r\n\r\n") + 4);
  if (/^content-transfer-encoding: base64/im.test(text)) return Buffer.from(body, "base64").toString();
  if (!/^content-transfer-encoding: quoted-printable/im.test(text)) return body;
  const bytes = body
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}
