import { isObject } from "../../core/base/is-object";
import { cutText } from "../../core/base/whole-characters";
import type { Secrets } from "../secrets";
import { badSetting } from "../source";
import type { OpenApiDocument, RawObject } from "./document";

/** The credentials of a request. */
export interface Credential {
  in: "header" | "query" | "cookie";
  name: string;
  value: string;
}

/** By the names of the document's security schemes. */
export type Credentials = ReadonlyMap<string, Credential>;

/** The setting `auth` brought together with the document's schemes. @throws NavigatorError */
export function credentialsOf(
  auth: string | { [scheme: string]: string } | undefined,
  { raw, reader }: OpenApiDocument,
  secrets: Secrets,
  at: string,
): Credentials {
  const components = isObject(raw.components) ? (raw.components as RawObject) : {};
  const schemes = isObject(components.securitySchemes) ? (components.securitySchemes as RawObject) : {};
  const names = Object.keys(schemes);
  const place = `${at}.auth`;
  if (auth === undefined) return new Map();
  if (names.length === 0)
    throw badSetting(place, "the document has no security schemes: give the header itself, in headers");
  if (typeof auth === "string" && names.length > 1)
    throw badSetting(place, `the document has several security schemes: give a map with ${names.join(", ")}`);
  const given = typeof auth === "string" ? { [names[0] as string]: auth } : auth;
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  if (unknown.length > 0)
    throw badSetting(place, `there is no scheme ${unknown.join(", ")}; there are ${names.join(", ")}`);
  return new Map(
    Object.entries(given).map(([name, text]) => {
      const where = typeof auth === "string" ? place : `${place}.${name}`;
      const value = secrets.expand(text, where);
      secrets.keep(value, where);
      return [name, credentialOf(reader.follow(schemes[name] as RawObject), value, secrets, where)];
    }),
  );
}

function credentialOf(scheme: RawObject, value: string, secrets: Secrets, place: string): Credential {
  const authorization = (text: string): Credential => ({ in: "header", name: "authorization", value: text });
  switch (scheme.type) {
    case "apiKey":
      if (!["header", "query", "cookie"].includes(scheme.in) || typeof scheme.name !== "string") break;
      return { in: scheme.in, name: scheme.name, value };
    // Tokens are obtained elsewhere: only their use is defined here.
    case "oauth2":
    case "openIdConnect":
      return authorization(`Bearer ${value}`);
    case "http": {
      const kind = String(scheme.scheme).toLowerCase();
      if (kind === "bearer") return authorization(`Bearer ${value}`);
      if (kind !== "basic") break;
      if (!value.includes(":")) throw badSetting(place, 'basic authentication needs "user:password"');
      const encoded = Buffer.from(value, "utf8").toString("base64");
      secrets.keep(encoded, place);
      secrets.keep(value.slice(value.indexOf(":") + 1), place);
      return authorization(`Basic ${encoded}`);
    }
  }
  throw badSetting(place, `a scheme like ${cutText(JSON.stringify(scheme), 120)} is not supported: set headers`);
}

/** The first of the alternatives that all credentials are there for; one that needs something before one that needs nothing. */
export function credentialsFor(security: readonly string[][], credentials: Credentials): Credential[] {
  const usable = security.filter((schemes) => schemes.every((name) => credentials.has(name)));
  const chosen = usable.find((schemes) => schemes.length > 0) ?? [];
  return chosen.map((name) => credentials.get(name) as Credential);
}
