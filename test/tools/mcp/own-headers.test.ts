import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fetchWithOwnHeaders } from "../../../src/tools/mcp/own-headers";

/** Two origins on this machine, which keep what they are sent. */
const sent: { [port: number]: unknown[] } = {};
const servers: Server[] = [];
async function origin(): Promise<string> {
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    sent[port] = [...(sent[port] ?? []), [request.headers["x-api-key"], request.headers["x-asked"]]];
    response.end("{}");
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterAll(() => {
  for (const server of servers) server.close();
});

test("the headers of a server go to its own origin alone", async () => {
  const [own, other] = [await origin(), await origin()];
  const ask = fetchWithOwnHeaders(`${own}/mcp`, { "X-Api-Key": "secret" });
  await ask(`${own}/token`, { headers: { "X-Asked": "1" } });
  await ask(new URL(`${other}/token`), { headers: { "X-Asked": "2" } });
  expect(sent[Number(new URL(own).port)]).toEqual([["secret", "1"]]);
  expect(sent[Number(new URL(other).port)]).toEqual([[undefined, "2"]]);
});

test("a redirect is not followed: it would take the headers along", async () => {
  const other = await origin();
  const server = createServer((_, response) => response.writeHead(307, { location: other }).end());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  expect((await fetchWithOwnHeaders(own, { "X-Api-Key": "secret" })(own)).status).toBe(307);
  expect(sent[Number(new URL(other).port)]).toBeUndefined();
});

test("a server of a private network may name another one there", async () => {
  const ask = fetchWithOwnHeaders("https://10.0.0.1/mcp");
  // Nobody is asked: the port is a forbidden one.
  await expect(ask("https://10.0.0.2:1/token")).rejects.toThrow("fetch failed");
});

test.each([
  "http://127.0.0.1:1/token",
  "http://169.254.169.254/latest",
  "http://login.example.com/token",
  "https://169.254.169.254/latest",
  "https://0x7f000001/",
  "https://[::ffff:10.0.0.1]/",
  "https://[fd00::1]/",
  "https://localhost./",
])("a server elsewhere cannot name %s", async (address) => {
  const ask = fetchWithOwnHeaders("https://mcp.example.com/mcp", { "X-Api-Key": "secret" });
  await expect(ask(address)).rejects.toMatchObject({
    code: "tool_source_failed",
    message: expect.stringContaining(new URL(address).origin),
  });
});
