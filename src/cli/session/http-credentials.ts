import { NavigatorError } from "../../core/base/navigator-error";
import type { CredentialSettings } from "../../node/http/authenticate";
import { inUrl, isLoopback, LOOPBACK_HOSTS } from "../../node/http/guard";
import type { Project } from "../../project/load";
import { badUsage } from "../terminal/exit";

/** Which tokens count for a server: the one that was given, those of `navigator token`, and those of the project's issuer. */
export async function serverCredentials(
  project: Project,
  token: string | null,
): Promise<CredentialSettings & { authenticates: boolean }> {
  const [{ projectTokens }, { oidcVerifier }] = await Promise.all([
    import("../../node/identity/token-store"),
    import("../../node/identity/oidc"),
  ]);
  const tokens = projectTokens(project.name);
  const authenticates = token !== null || project.oidc !== undefined || tokens.list().length > 0;
  return {
    token,
    authenticates,
    findToken: (text: string) => tokens.find(text),
    oidc: project.oidc && oidcVerifier(project.oidc),
  };
}

/** How the user of this machine logs in when the link has no token. */
export const loginNote = (tokenFile: string | null): string =>
  tokenFile === null ? "" : `  (the token of this machine, to log in: ${tokenFile})`;

/** The port of Mission Control if nobody names one. */
export const PAGE_PORT = 7400;

/** Lets other machines reach a server only where it can identify callers. @throws NavigatorError `bad_config` */
export function refuseStrangers(
  host: string,
  { authenticates }: { authenticates: boolean },
  { need, hint, path }: { need: string; hint: string; path: string },
): void {
  if (authenticates || isLoopback(host)) return;
  throw new NavigatorError("bad_config", `Other machines can reach ${host}: ${need}.`, { hint, details: { path } });
}

/** The names by which clients may reach a server. */
export const allowedHosts = (host: string, others: readonly string[]): string[] => [
  ...LOOPBACK_HOSTS,
  inUrl(host),
  ...others.map((name) => name.toLowerCase()),
];

/** @throws NavigatorError `bad_usage` */
export function portOf(text: string, option: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw badUsage(option, `${option} must be a number from 0 to 65535, got "${text}".`);
  return port;
}
