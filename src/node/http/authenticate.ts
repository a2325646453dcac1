import { createHash, timingSafeEqual } from "node:crypto";
import { defined } from "../../core/base/defined";
import { NavigatorError } from "../../core/base/navigator-error";
import type { PeopleFile } from "../../core/review/people/people-file";
import type { OidcVerifier } from "../identity/oidc";
import { DEFAULT_SCOPES, type Scope } from "../identity/scopes";
import { activePerson, hasLeft } from "../identity/signer";
import type { TokenRecord } from "../identity/token-store";
import type { Refused } from "./guard";

/** Who sends a request (approvals reference, section 1), by the token that is sent with it as `Authorization: Bearer TOKEN`. */

/** The sender of a request over HTTP, as far as the server found out. */
export interface HttpCaller {
  /** The same for all requests of one caller: a session belongs to who began it. */
  id: string;
  /** Name of the person, as people.yaml has it. */
  person?: string;
  /** The scopes of the sender; absent: all. */
  scopes?: readonly Scope[];
}

export interface CredentialSettings {
  /** A token that lets anybody in, and stands for nobody; null: there is none. */
  token: string | null;
  /** Whether requests without a token are let in; default: if `token` is null. */
  anonymous?: boolean;
  /** Tokens of persons and services: the record of one that counts now. */
  findToken?(token: string): Pick<TokenRecord, "owner" | "kind" | "scopes"> | null;
  /** Tokens of the issuer that the project trusts. */
  oidc?: OidcVerifier | undefined;
}

const ANYBODY: HttpCaller = { id: "anybody" };

/**
 * Who sends a request, or why it is refused: 401 without a token that counts, 503 if nobody can check it now. A token that counts
 * and stands for nobody of the project lets in as well: its caller is not a person who may decide.
 */
export async function authenticate(
  authorization: string | undefined,
  settings: CredentialSettings,
  people: () => PeopleFile,
): Promise<{ caller: HttpCaller } | Refused> {
  const { token, anonymous = token === null } = settings;
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1];
  if (given === undefined)
    return anonymous ? { caller: ANYBODY } : { status: 401, message: "A bearer token is needed." };
  if (token !== null && sameText(given, token)) return { caller: ANYBODY };
  const caller = await callerOf(given, settings, people);
  return caller === null ? { status: 401, message: "The bearer token does not count." } : { caller };
}

/** @throws NavigatorError if nobody can check it now */
async function callerOf(
  token: string,
  { findToken, oidc }: CredentialSettings,
  people: () => PeopleFile,
): Promise<HttpCaller | null> {
  const record = findToken?.(token) ?? null;
  if (record?.kind === "service") return { id: `service:${record.owner}`, scopes: record.scopes ?? DEFAULT_SCOPES };
  if (record !== null) {
    const person = personAs(record.owner, people());
    return person && { ...person, ...defined({ scopes: record.scopes }) };
  }
  // Three parts are a JSON Web Token.
  if (oidc === undefined || token.split(".").length !== 3) return null;
  const subject = await oidc.subjectOf(token);
  if (subject === null) return null;
  const file = people();
  const name = Object.keys(file.people).find((one) => file.people[one]?.oidc === subject);
  return name === undefined ? { id: `oidc:${subject}` } : personAs(name, file);
}

/** null: the person has left the project. */
function personAs(name: string, file: PeopleFile): HttpCaller | null {
  if (hasLeft(file, name)) return null;
  return { id: `person:${name}`, ...defined({ person: activePerson(file, name) === undefined ? undefined : name }) };
}

/** The answer to a client if tokens cannot be checked. The log has the details. */
export const asUnavailable = (error: unknown): Refused => {
  if (!(error instanceof NavigatorError)) throw error;
  return { status: 503, message: "Tokens cannot be checked now." };
};

/** The duration of the comparison reveals neither where the two differ, nor their lengths. */
export function sameText(given: string, expected: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
