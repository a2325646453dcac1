import { createHash } from "node:crypto";
import { renameSync, rmSync } from "node:fs";
import path from "node:path";
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { freshPrivateFile, privateFolder, privateText } from "../../node/private-files";

/** What a login to an MCP server left: who we are to its authorization server, and the tokens. */
export interface KeptLogin {
  /** The server that the tokens are for. */
  url: string;
  client?: OAuthClientInformationMixed | undefined;
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

  /** @throws NavigatorError `key_not_private` for a file that others can read */
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

  write(login: Omit<KeptLogin, "url">): void {
    const fresh = freshPrivateFile(this.file, { url: this.url, ...login }, privateFolder);
    renameSync(fresh, this.file);
  }

  /** Whether there was one. */
  remove(): boolean {
    const was = this.read() !== null;
    rmSync(this.file, { force: true });
    return was;
  }
}
