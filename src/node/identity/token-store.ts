import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { z } from "zod";
import { defined } from "../../core/base/defined";
import type { ProjectName } from "../../core/base/ids";
import { NavigatorError } from "../../core/base/navigator-error";
import { PRIVATE_FILE, privateFolder } from "../private-files";
import { loadConfig } from "../settings";
import { DEFAULT_SCOPES, SCOPE_NAMES, type Scope } from "./scopes";

/**
 * Bearer tokens for HTTP (approvals reference, section 1): each stands for a person or a service of a project. A token is
 * shown once, when it is made. What is kept is its SHA-256, in a private file for each token, so that one can be revoked
 * while another is made.
 */

const Record = z.object({
  id: z.string(),
  /** SHA-256 of the token, in base64url. */
  sha256: z.string().length(43),
  /** Name of the person or service. */
  owner: z.string().min(1),
  kind: z.enum(["person", "service"]),
  /** Name of the project that it is for; null = a project without a name. */
  project: z.string().nullable(),
  /** As ISO 8601, as the other times. */
  created: z.string(),
  expires: z.string().optional(),
  revoked: z.string().optional(),
  /** What its sender may do; absent: a person's token has all, and a service's has the narrowest. */
  scopes: z.array(z.enum(SCOPE_NAMES)).optional(),
});
/** What is known of a token, without the token. */
export type TokenRecord = z.infer<typeof Record>;

const TOKEN = /^navigator_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;
const ID = /^[0-9a-f]{16}$/;

/** The tokens of a project on this machine. @param folder of the keys and tokens; default: NAVIGATOR_IDENTITY */
export const projectTokens = (project: ProjectName, folder = loadConfig().identity): TokenStore =>
  new TokenStore(path.join(folder, "tokens"), project);

/** The tokens of one project, in a folder of private files. Files are read for each question: a revoked token counts no more. */
export class TokenStore {
  constructor(
    private readonly folder: string,
    private readonly project: ProjectName,
  ) {}

  /** Makes a token. The text is nowhere else: who loses it makes another one. */
  create(
    given: Pick<TokenRecord, "owner" | "kind"> & {
      expires?: string | undefined;
      scopes?: readonly Scope[] | undefined;
    },
    nowMs = Date.now(),
  ): { token: string; record: TokenRecord } {
    const id = randomBytes(8).toString("hex");
    const token = `navigator_${id}_${randomBytes(32).toString("base64url")}`;
    const { owner, kind, expires, scopes = kind === "service" ? DEFAULT_SCOPES : undefined } = given;
    const created = new Date(nowMs).toISOString();
    const record: TokenRecord = {
      id,
      sha256: sha256(token),
      owner,
      kind,
      project: this.project,
      created,
      ...defined({ expires, scopes: scopes === undefined ? undefined : [...scopes] }),
    };
    this.write(record);
    return { token, record };
  }

  /** The oldest first. */
  list(): TokenRecord[] {
    return this.ids()
      .map((id) => this.read(id))
      .filter((record) => record !== null)
      .sort((a, b) => a.created.localeCompare(b.created));
  }

  /** From now on the token counts no more. @throws NavigatorError `not_found` */
  revoke(id: string, nowMs = Date.now()): TokenRecord {
    const record = ID.test(id) ? this.read(id) : null;
    if (record === null)
      throw new NavigatorError("not_found", `The project has no token "${id}".`, {
        hint: "List its tokens: navigator token list",
        details: { path: id, kind: "token" },
      });
    if (record.revoked !== undefined) return record;
    const revoked = { ...record, revoked: new Date(nowMs).toISOString() };
    this.write(revoked);
    return revoked;
  }

  /** The record of a token that counts now; null for any other text. */
  find(token: string, nowMs = Date.now()): TokenRecord | null {
    const id = TOKEN.exec(token)?.[1];
    const record = id === undefined ? null : this.read(id);
    // Compared also where there is no such token: the answer takes equally long.
    const isRight = sameDigest(sha256(token), record?.sha256 ?? sha256(""));
    if (record === null || !isRight || record.revoked !== undefined) return null;
    return record.expires !== undefined && Date.parse(record.expires) <= nowMs ? null : record;
  }

  private ids(): string[] {
    try {
      return readdirSync(this.folder).flatMap((file) => /^([0-9a-f]{16})\.json$/.exec(file)?.[1] ?? []);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
      throw unusable(this.folder, error);
    }
  }

  /** null: the project has no such token. @throws NavigatorError `file_error` for a file that is damaged */
  private read(id: string): TokenRecord | null {
    const file = this.file(id);
    try {
      const record = Record.parse(JSON.parse(readFileSync(file, "utf8")));
      return record.project === this.project ? record : null;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw unusable(file, error);
    }
  }

  /** With one rename: a reader sees the record as it was, or as it is now. */
  private write(record: TokenRecord): void {
    const file = this.file(record.id);
    const fresh = `${file}.${randomBytes(6).toString("hex")}.new`;
    try {
      privateFolder(this.folder);
      writeFileSync(fresh, `${JSON.stringify(record, null, 2)}\n`, { ...PRIVATE_FILE, flag: "wx" });
      renameSync(fresh, file);
    } catch (error) {
      throw new NavigatorError("file_error", `${file} cannot be written: ${(error as Error).message}`, {
        details: { path: file },
      });
    }
  }

  private file(id: string): string {
    return path.join(this.folder, `${id}.json`);
  }
}

const unusable = (place: string, error: unknown): NavigatorError =>
  new NavigatorError("file_error", `${place} cannot be read: ${(error as Error).message}`, {
    details: { path: place },
  });

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");

const sameDigest = (a: string, b: string): boolean => timingSafeEqual(Buffer.from(a), Buffer.from(b));
