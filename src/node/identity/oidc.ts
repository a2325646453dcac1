import { createRemoteJWKSet, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { NavigatorError } from "../../core/base/navigator-error";
import { isSafeAddress } from "../safe-address";

/** Tokens of an OpenID Connect issuer (approvals reference, section 1), checked with the keys that it publishes. */

/** Which issuer a project trusts. */
export interface OidcSettings {
  /** As the issuer itself writes it: `https://login.example.com/realm`. */
  issuer: string;
  /** The audience that tokens must have: this server. */
  audience: string;
  /** The claim that names a person, as `oidc` in people.yaml; default: `sub`. */
  subject_claim?: string | undefined;
  /** The environment variable with the secret of this server as a client of the issuer, where people log in by browser; default: none. */
  client_secret_env?: string | undefined;
}

/** Finds the subject of a token. */
export interface OidcVerifier {
  /**
   * The subject; null: the token is not one that the issuer made for this server, or is over.
   *
   * @throws NavigatorError `service_unavailable`
   */
  subjectOf(token: string): Promise<string | null>;
}

/**
 * Signatures by key pairs only. With `none` anybody could write a token, and with HS256 anybody could sign one with the
 * issuer's public key.
 */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];

const LIMIT_MS = 5_000;
/** Clocks of two machines differ. */
const TOLERANCE_S = 5;
/** An unknown key is looked for at most this often. */
const COOLDOWN_MS = 5_000;

const Discovery = z.object({
  issuer: z.string(),
  jwks_uri: z.url(),
  /** Where a browser logs in, and where its code is exchanged for a token. */
  authorization_endpoint: z.url().optional(),
  token_endpoint: z.url().optional(),
});

type Keys = ReturnType<typeof createRemoteJWKSet>;

/** @param cooldown_ms the shortest time between two looks for new keys */
export function oidcVerifier(settings: OidcSettings, { cooldown_ms = COOLDOWN_MS } = {}): OidcVerifier {
  const { issuer, audience, subject_claim = "sub" } = settings;
  let finding: Promise<Keys> | undefined;
  const keys = () => {
    finding ??= publishedKeys(issuer, cooldown_ms).catch((error: unknown) => {
      finding = undefined;
      throw error;
    });
    return finding;
  };
  return {
    subjectOf: async (token) => {
      const known = await keys();
      try {
        const { payload, protectedHeader } = await jwtVerify(token, known, {
          issuer,
          audience,
          algorithms: ALGORITHMS,
          clockTolerance: TOLERANCE_S,
          requiredClaims: ["exp", "iss", "aud"],
        });
        return isIdToken(protectedHeader, payload, audience) ? subjectIn(payload, subject_claim) : null;
      } catch (error) {
        if (isUnreachable(error)) throw issuerUnavailable(issuer, error);
        return null;
      }
    },
  };
}

/**
 * Whether a token shows that somebody has logged in here. An access token or a logout token of the same issuer may have the
 * same audience and key, and so may an ID token that was made for another client (`azp`).
 */
const isIdToken = ({ typ }: JWTHeaderParameters, { events, azp }: JWTPayload, client: string): boolean =>
  (typ === undefined || /^(?:application\/)?jwt$/i.test(typ)) &&
  events === undefined &&
  (azp === undefined || azp === client);

/** null: the token names nobody. An address that the issuer has not confirmed is anybody's. */
function subjectIn(payload: JWTPayload, claim: string): string | null {
  const subject = payload[claim];
  if (typeof subject !== "string" || subject === "") return null;
  return claim === "email" && payload.email_verified !== true ? null : subject;
}

/** The issuer's keys. @throws NavigatorError `service_unavailable` */
async function publishedKeys(issuer: string, cooldownDuration: number): Promise<Keys> {
  const { jwks_uri } = await discoverIssuer(issuer);
  return createRemoteJWKSet(new URL(jwks_uri), { timeoutDuration: LIMIT_MS, cooldownDuration });
}

/** The metadata of the issuer. Its addresses are safe ones. @throws NavigatorError `service_unavailable` */
export async function discoverIssuer(issuer: string): Promise<z.infer<typeof Discovery>> {
  const address = `${issuer.replace(/\/+$/, "")}/.well-known/openid-configuration`;
  let found: z.infer<typeof Discovery>;
  try {
    const answer = await fetch(address, { redirect: "error", signal: AbortSignal.timeout(LIMIT_MS) });
    if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
    found = Discovery.parse(await answer.json());
  } catch (error) {
    throw issuerUnavailable(issuer, error);
  }
  if (found.issuer !== issuer) throw issuerUnavailable(issuer, new Error(`${address} is that of ${found.issuer}`));
  for (const one of [found.jwks_uri, found.authorization_endpoint, found.token_endpoint])
    if (one !== undefined && !isSafeAddress(one)) throw issuerUnavailable(issuer, new Error(`it names ${one}`));
  return found;
}

/** The keys could not be fetched: nothing is known about the token. */
const isUnreachable = (error: unknown): boolean =>
  !(error instanceof errors.JOSEError) || error instanceof errors.JWKSTimeout || error.code === "ERR_JOSE_GENERIC";

/** Nothing is known about a token, or nobody can log in now. */
export const issuerUnavailable = (issuer: string, error: unknown): NavigatorError =>
  new NavigatorError("service_unavailable", `The OIDC issuer ${issuer} cannot be asked: ${(error as Error).message}`, {
    hint: "Its address is `oidc.issuer` in the project's configuration.",
    cause: error,
    details: { path: issuer, kind: "issuer" },
  });
