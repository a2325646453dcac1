import { BlockList, isIP } from "node:net";

/**
 * From which address a request comes. `X-Forwarded-For` is a text that every client may write: only what a proxy of ours
 * added to it counts, and the proxies are named by a setting.
 */
export interface ProxyTrust {
  /** @param address without a port */
  trusts(address: string): boolean;
}

/**
 * Proxies by their addresses, or by networks such as `10.0.0.0/8`.
 *
 * @returns the text that is neither, if there is one
 */
export function proxyTrust(proxies: readonly string[]): ProxyTrust | { wrong: string } {
  const list = new BlockList();
  for (const text of proxies) {
    const [address = "", bits, ...more] = text.trim().split("/");
    const family = familyOf(address);
    const prefix = bits === undefined ? undefined : Number(bits);
    const most = family === "ipv4" ? 32 : 128;
    const isNetwork = prefix !== undefined && /^\d+$/.test(bits ?? "") && prefix <= most;
    if (family === null || more.length > 0 || (bits !== undefined && !isNetwork)) return { wrong: text };
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, prefix, family);
  }
  return {
    trusts: (address) => {
      const family = familyOf(address);
      return family !== null && list.check(address, family);
    },
  };
}

/**
 * The address of the client: that of the connection, unless a trusted proxy made it. Then the last address in
 * `X-Forwarded-For` that no trusted proxy has.
 */
export function clientAddress(connection: string, forwarded: string | undefined, proxies: ProxyTrust | undefined) {
  let address = plain(connection);
  const hops = (forwarded ?? "").split(",").map((hop) => plain(hop.trim()));
  while (proxies?.trusts(address)) {
    const next = hops.pop();
    if (next === undefined || isIP(next) === 0) break;
    address = next;
  }
  return address;
}

/** `::ffff:10.0.0.1` is 10.0.0.1, and a proxy may add a port. */
const plain = (address: string): string =>
  address
    .replace(/^::ffff:(?=\d+\.)/i, "")
    .replace(/^\[([^\]]*)\](?::\d+)?$/, "$1")
    .replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");

function familyOf(address: string): "ipv4" | "ipv6" | null {
  const version = isIP(address);
  return version === 0 ? null : version === 4 ? "ipv4" : "ipv6";
}
