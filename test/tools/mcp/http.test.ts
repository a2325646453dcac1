import { freePortPair } from "../../../prove/rig/free-port-pair";
import { ToolRetry } from "../../../src/tools";
import { type HttpServer, startEverything, startProxy } from "./http-server";
import { mcpSource, type Opened, open, variable } from "./sources";

/** A public server over Streamable HTTP. */

let server: HttpServer;
beforeAll(async () => {
  server = await startEverything(await freePortPair());
});
afterAll(() => server.kill());

describe("a running server", () => {
  test("its tools are listed and called, headers are sent, and a session is ended", async () => {
    const proxy = await startProxy(server.port);
    const headers = { Authorization: `Bearer ${variable("SHOP_TOKEN")}`, "X-Tenant": "anna" };
    const source = mcpSource("shop", { url: proxy.url, headers }, { SHOP_TOKEN: "tok-12345678" });
    const shop = await open(source);
    expect(shop.names).toContain("shop_get-sum");
    expect(await shop.call("shop_get-structured-content", { location: "Chicago" })).toMatchObject({ temperature: 36 });
    await source.close();
    expect(proxy.seen.every((one) => one.authorization === "Bearer tok-12345678" && one["x-tenant"] === "anna")).toBe(
      true,
    );
    await proxy.close();
  });

  test("progress of a long call counts as a heartbeat", async () => {
    const heartbeat = jest.fn();
    const source = mcpSource("shop", { url: server.url });
    const shop = await open(source);
    await shop.call("shop_trigger-long-running-operation", { duration: 0.3, steps: 3 }, { heartbeat });
    expect(heartbeat.mock.calls.length).toBeGreaterThanOrEqual(2);
    await source.close();
  });
});

describe("a server that is killed", () => {
  const long = "shop_trigger-long-running-operation";
  const opened = async (effect: string) => {
    const source = mcpSource("shop", { url: server.url, effects: { "trigger-long-running-operation": effect } });
    return { source, shop: await open(source) };
  };
  const killedDuring = async (shop: Opened) => {
    const call = shop.call(long, { duration: 20, steps: 20 }).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.kill();
    return call;
  };

  test("while it writes: the outcome is unknown; while it is down a call is retried; then it continues", async () => {
    const { source, shop } = await opened("write");
    expect(await killedDuring(shop)).toMatchObject({
      message: expect.stringContaining("the outcome is unknown"),
      details: { code: "unknown_outcome" },
    });
    await expect(shop.call("shop_echo", { message: "a" })).rejects.toMatchObject({
      name: "ToolRetry",
      message: expect.stringMatching(/"shop".*(cannot be reached|was lost)|fetch failed/),
    });
    server = await startEverything(server.port);
    let answer: unknown;
    for (let i = 0; i < 20 && answer === undefined; i++)
      answer = await shop.call("shop_echo", { message: "b" }).catch(async (error: ToolRetry) => {
        expect(error).toBeInstanceOf(ToolRetry);
        await new Promise((resolve) => setTimeout(resolve, error.after_ms));
        return undefined;
      });
    expect(answer).toBe("Echo: b");
    await source.close();
  });

  test("while it reads: the call may be made again", async () => {
    const { source, shop } = await opened("read");
    expect(await killedDuring(shop)).toBeInstanceOf(ToolRetry);
    server = await startEverything(server.port);
    await source.close();
  });

  test("and restarted before the next call: the call gets a new session", async () => {
    const { source, shop } = await opened("read");
    await server.kill();
    server = await startEverything(server.port);
    expect(await shop.call("shop_echo", { message: "c" })).toBe("Echo: c");
    await source.close();
  });
});
