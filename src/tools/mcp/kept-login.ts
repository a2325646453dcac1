import { createHash } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/client";
import { changingFile } from "../../node/file-lock";
import { freshPrivateFile, privateFolder, privateText } from "../../node/private-files";

/** What a login to an MCP server left: who we are to its authorization server, and the tokens. */
export interface KeptLogin {
  /** The server that the tokens are for. */
  url: string;
  /** The authorization server that gave them: no other one gets anything of this. Absent in a file that was written by hand. */
  issuer?: string | undefined;
  /** How the authorization server calls the MCP server. */
  resource?: string | undefined;
  /** The client that the login registered; absent: the settings name one. */
  client?: OAuthClientInformationMixed | undefined;
  /** Absent: they are over. */
  tokens?: OAuthTokens | undefined;
}

/**
 * The login of this user to one MCP server: a private file in `mcp/` below NAVIGATOR_IDENTITY. Every worker of the user reads
 * it for each request, so a login or a refresh by one is known to all.
 */
export class LoginFile {
  readonly file: string;

  constructor(
    folder: string,
    private readonly url: string,
  ) {
    const digest = createHash("sha256").update(url).digest("hex").slice(0, 16);
    this.file = path.join(folder, "mcp", `${new URL(url).hostname}-${digest}.json`);
  }

  /** @throws NavigatorError `invalid_input` for a file that others can read */
  read(): KeptLogin | null {
    const text = privateText(this.file, { remake: "Log in again.", folder: "NAVIGATOR_IDENTITY" });
    if (text === null) return null;
    try {
      const kept = JSON.parse(text) as KeptLogin;
      return kept.url === this.url ? kept : null;
    } catch {
      // As good as none: the next login writes it anew.
      return null;
    }
  }

  /** A new login, whatever was there. @throws NavigatorError `file_error` */
  write(login: Omit<KeptLogin, "url">): void {
    const fresh = freshPrivateFile(this.file, { url: this.url, ...login }, privateFolder);
    changingFile(this.file, () => renameSync(fresh, this.file));
  }

  /**
   * Other tokens in a login, if it is still the one that is kept: somebody may have logged out, or in again.
   *
   * @throws NavigatorError `file_error`
   */
  replaceTokens(login: KeptLogin, tokens: OAuthTokens | undefined): void {
    if (!existsSync(this.file)) return;
    changingFile(this.file, () => {
      if (JSON.stringify(this.read()) !== JSON.stringify(login)) return;
      renameSync(freshPrivateFile(this.file, { ...login, tokens }, privateFolder), this.file);
    });
  }

  /** Whether there was one. @throws NavigatorError `file_error` */
  remove(): boolean {
    if (!existsSync(this.file)) return false;
    return changingFile(this.file, () => {
      const was = this.read() !== null;
      rmSync(this.file, { force: true });
      return was;
    });
  }
}
