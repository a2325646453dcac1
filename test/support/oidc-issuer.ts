import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, type KeyLike, SignJWT } from "jose";

/** An OIDC issuer on this machine, over real HTTP: it publishes its keys, and makes whatever token a test asks for. */
export interface Issuer {
  url: string;
  /** How often its keys were fetched. */
  fetches(): number;
  /** A token for `navigator` that is good for an hour, unless the claims say otherwise; null takes a claim away. */
  token(
    claims?: { [claim: string]: unknown },
    header?: { alg?: string; kid?: string; key?: KeyLike | Uint8Array },
  ): Promise<string>;
  /** Another key from now on; the earlier one is published no more. */
  rotate(): Promise<void>;
  /** The key as it is published, as text. */
  published(): Promise<string>;
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
  const server: Server = createServer(async ({ url }, response) => {
    if (url === "/keys") fetches += 1;
    const body =
      url === "/.well-known/openid-configuration"
        ? { issuer: address(), jwks_uri: `${address()}/keys`, ...more }
        : url === "/keys"
          ? { keys: [await jwk()] }
          : null;
    response.writeHead(body === null ? 404 : 200, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: address(),
    fetches: () => fetches,
    token: async (claims = {}, { alg = "RS256", kid = pair.kid, key = pair.privateKey } = {}) => {
      const now = Math.floor(Date.now() / 1_000);
      const usual = { iss: address(), aud: "navigator", sub: "u-1", iat: now, exp: now + 3_600 };
      const given = Object.fromEntries(Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== null));
      return new SignJWT(given as JWTPayload).setProtectedHeader({ alg, kid }).sign(key);
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
