import { clientAddress, type ProxyTrust, proxyTrust } from "../../../src/node/http/client-address";

const trust = proxyTrust(["10.0.0.0/8", "2001:db8::7"]) as ProxyTrust;

test.each<[string, string | undefined, string]>([
  ["203.0.113.9", undefined, "203.0.113.9"],
  // A stranger's own header counts for nothing.
  ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
  ["10.0.0.7", "198.51.100.1", "198.51.100.1"],
  ["::ffff:10.0.0.7", "198.51.100.1", "198.51.100.1"],
  // The client's own entries stand first; the proxy adds the address that it saw.
  ["10.0.0.7", "1.2.3.4, 198.51.100.1", "198.51.100.1"],
  ["10.0.0.7", "1.2.3.4, 198.51.100.1, 10.9.9.9", "198.51.100.1"],
  ["2001:db8::7", "[2001:db8::99]:4711", "2001:db8::99"],
  ["10.0.0.7", "198.51.100.1:5012", "198.51.100.1"],
  ["10.0.0.7", "unknown", "10.0.0.7"],
  ["10.0.0.7", "", "10.0.0.7"],
])("a connection of %s with the header %j is from %s", (connection, forwarded, address) => {
  expect(clientAddress(connection, forwarded, trust)).toBe(address);
});

test("without a trusted proxy the header counts for nothing", () => {
  expect(clientAddress("10.0.0.7", "198.51.100.1", undefined)).toBe("10.0.0.7");
});

test.each(["proxy.example.com", "10.0.0.0/33", "10.0.0.0/", "", "10.0.0.1/8/8"])("%j is no proxy", (text) => {
  expect(proxyTrust([text])).toEqual({ wrong: text });
});
