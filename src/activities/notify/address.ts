import { NavigatorError } from "../../core/base/navigator-error";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[?::1\]?)$/;

/** Whether nothing that is sent to this host leaves the machine. */
export const isLoopbackHost = (host: string): boolean => LOOPBACK.test(host.toLowerCase());

/**
 * Reads the address of a receiver. Without TLS only receivers on this machine are allowed, unless the user sets
 * otherwise.
 *
 * @param name of the setting: the address itself may be a secret and is in no message
 * @throws NavigatorError `bad_config`
 */
export function receiverAddress(
  text: string,
  name: string,
  schemes: { plain: string; tls: string },
  plain = false,
): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const known = [`${schemes.plain}:`, `${schemes.tls}:`];
  if (url === undefined || url.hostname === "" || !known.includes(url.protocol))
    throw new NavigatorError("bad_config", `${name} must be an address that begins with ${schemes.tls}://.`, {
      details: { path: name },
    });
  if (url.protocol === `${schemes.plain}:` && !plain && !isLoopbackHost(url.hostname))
    throw new NavigatorError("bad_config", `${name} leads to another machine without TLS.`, {
      hint: `Use ${schemes.tls}://. Where everybody on the way may read it, set allow_plain.`,
      details: { path: name },
    });
  return url;
}
