import { createHash, randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { EncryptJWT, jwtDecrypt } from "jose";
import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { keptSecret, PRIVATE_FILE, privateFolder } from "../../node/private-files";

/**
 * The session of a browser (web reference, section 2): an encrypted cookie with the token that its person has given. Each request
 * is checked by that token, as if the browser had sent it, so a token that is revoked ends its sessions. The server keeps the
 * key, so a session outlives it, and a small file for each session that was ended, until its cookie would be over anyway.
 */

export const SESSION_COOKIE = "navigator_session";
/** How long a session lasts, in seconds. */
export const SESSION_S = 12 * 3_600;
/** Browsers drop larger cookies, without a word. */
const MAX_COOKIE = 4_000;

const Content = z.object({ token: z.string(), csrf: z.string() });
/** The content of a session. */
export interface SessionContent {
  token: string;
  /** Sent by the page with each request that changes something: another site can send the cookie, but not read this. */
  csrf: string;
}

/** Seals and reads the cookies of sessions. */
export class SessionCookies {
  private readonly key: Uint8Array;
  private readonly ended: string;

  /** @param folder of local data: the key of sessions is made there once, and ended sessions are noted there */
  constructor(folder: string) {
    this.key = sessionKey(folder);
    this.ended = path.join(folder, "ended-sessions");
  }

  /** The value of the cookie, and the text that the page sends with changes. */
  async seal(token: string): Promise<{ cookie: string; csrf: string }> {
    const csrf = randomBytes(18).toString("base64url");
    const cookie = await this.hide({ token, csrf }, SESSION_S);
    if (cookie.length > MAX_COOKIE)
      throw new NavigatorError(
        "payload_too_large",
        `The token makes a cookie of ${cookie.length} characters, at most ${MAX_COOKIE} fit.`,
        {
          hint: "Configure the issuer to write fewer claims into its tokens, or use a token of navigator token create NAME.",
        },
      );
    return { cookie, csrf };
  }

  /** A text that only this server can read, for `seconds`. */
  async hide(content: { [name: string]: string }, seconds: number): Promise<string> {
    return new EncryptJWT(content)
      .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
      .setIssuedAt()
      .setExpirationTime(`${seconds}s`)
      .encrypt(this.key);
  }

  /** What `hide` was given; null: the text is not one of this server, or it is over. */
  async reveal(hidden: string): Promise<{ [name: string]: unknown } | null> {
    try {
      return (await jwtDecrypt(hidden, this.key)).payload;
    } catch {
      return null;
    }
  }

  /** Reads the content of the cookie; null: it is not one of this server, or it is over. */
  async open(cookie: string): Promise<SessionContent | null> {
    const content = Content.safeParse(await this.reveal(cookie));
    return content.success && !existsSync(this.fileOf(content.data)) ? content.data : null;
  }

  /** Ends the session of a cookie: a copy of it counts no more, on any server with this folder. */
  async end(cookie: string): Promise<void> {
    const content = await this.open(cookie);
    if (content === null) return;
    privateFolder(this.ended);
    const since = Date.now() - 2 * SESSION_S * 1_000;
    for (const name of readdirSync(this.ended)) {
      const file = path.join(this.ended, name);
      if ((statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) < since) rmSync(file, { force: true });
    }
    writeFileSync(this.fileOf(content), "", PRIVATE_FILE);
  }

  private fileOf({ csrf }: SessionContent): string {
    return path.join(this.ended, createHash("sha256").update(csrf).digest("hex"));
  }
}

function sessionKey(folder: string): Uint8Array {
  return createHash("sha256").update(keptSecret(folder, "web-session.key")).digest();
}

/** A session is sent with requests of our own page only. */
export const sessionCookieOptions = ({ isSecure }: { isSecure: boolean }) =>
  ({ path: "/", httpOnly: true, sameSite: "Strict", secure: isSecure, maxAge: SESSION_S }) as const;
