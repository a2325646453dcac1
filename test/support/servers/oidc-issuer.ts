import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** An OIDC issuer on this machine, over real HTTP: it publishes its keys, and makes whatever token a test asks for. */
export interface Issuer {
  url: string;
  /** How often its keys were fetched. */
  fetches(): number;
  /** A token for `navigator` that is good for an hour, unless the claims say otherwise; null takes a claim away. */
  token(
    claims?: { [claim: string]: unknown },
    header?: { alg?: string; kid?: string; typ?: string; key?: CryptoKey | Uint8Array },
  ): Promise<string>;
  /** Another key from now on; the earlier one is published no more. */
  rotate(): Promise<void>;
  /** The key as it is published, as text. */
  published(): Promise<string>;
  /** Who logs in at its page from now on, without being asked; null: the person says no. */
  logsIn(subject: string | null): void;
  /** What the discovery document says instead. */
  says(more: { [field: string]: unknown }): void;
  close(): Promise<void>;
}

export async function openIssuer(): Promise<Issuer> {
  let number = 0;
  let fetches = 0;
  let more: object = {};
  const newPair = async () => ({
    ...(await generateKeyPair("RS256", { modulusLength: 2048 })),
    kid: `key-${++number}`,
  });
  let pair = await newPair();
  const jwk = async () => ({ ...(await exportJWK(pair.publicKey)), kid: pair.kid, alg: "RS256", use: "sig" });
  let subject: string | null = null;
  /** Codes that were given to browsers, each good once. */
  const codes = new Map<string, { sub: string; nonce: string; challenge: string; redirect: string }>();
  const tokenFor = async (form: URLSearchParams): Promise<object | null> => {
    const code = form.get("code") ?? "";
    const login = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (login === undefined || challenge !== login.challenge || form.get("redirect_uri") !== login.redirect)
      return null;
    return { token_type: "Bearer", id_token: await token({ sub: login.sub, nonce: login.nonce }) };
  };
  const authorize = (query: URLSearchParams): string => {
    const back = new URL(query.get("redirect_uri") as string);
    back.searchParams.set("state", query.get("state") as string);
    if (subject === null) back.searchParams.set("error", "access_denied");
    else {
      const code = `code-${codes.size}-${Math.random()}`;
      const [nonce, challenge] = [query.get("nonce") as string, query.get("code_challenge") as string];
      codes.set(code, { sub: subject, nonce, challenge, redirect: query.get("redirect_uri") as string });
      back.searchParams.set("code", code);
    }
    return back.href;
  };
  const server: Server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url as string, address());
    if (pathname === "/authorize") {
      response.writeHead(302, { location: authorize(searchParams), connection: "close" }).end();
      return;
    }
    if (pathname === "/keys") fetches += 1;
    const endpoints = { authorization_endpoint: `${address()}/authorize`, token_endpoint: `${address()}/token` };
    const body =
      pathname === "/.well-known/openid-configuration"
        ? { issuer: address(), jwks_uri: `${address()}/keys`, ...endpoints, ...more }
        : pathname === "/keys"
          ? { keys: [await jwk()] }
          : pathname === "/token"
            ? await tokenFor(new URLSearchParams(await text(request)))
            : null;
    response.writeHead(body === null ? 404 : 200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token: Issuer["token"] = async (
    claims = {},
    { alg = "RS256", kid = pair.kid, key = pair.privateKey, typ } = {},
  ) => {
    const now = Math.floor(Date.now() / 1_000);
    const usual = { iss: address(), aud: "navigator", sub: "u-1", iat: now, exp: now + 3_600 };
    const given = Object.fromEntries(Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== null));
    return new SignJWT(given as JWTPayload)
      .setProtectedHeader({ alg, kid, ...(typ === undefined ? {} : { typ }) })
      .sign(key);
  };
  return {
    url: address(),
    fetches: () => fetches,
    token,
    logsIn: (one) => {
      subject = one;
    },
    rotate: async () => {
      pair = await newPair();
    },
    published: async () => JSON.stringify(await jwk()),
    says: (given) => {
      more = given;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
