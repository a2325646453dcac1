import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { asSentError, fromSentError } from "../../src/testing/worker-calls";
import { defineTool, invokeTool, ToolFailure, ToolRetry, UnknownOutcome, undoEffect } from "../../src/tools";
import { toolCall } from "./tool-call";

type Effect = "read" | "write" | "irreversible";

const WITH_EFFECTS: Effect[] = ["write", "irreversible"];

const throwing = (error: unknown, effect: Effect = "irreversible") =>
  defineTool({
    name: "pay",
    effect,
    run: () => {
      throw error;
    },
  });
const codeOf = async (error: unknown, effect?: Effect) => {
  const answer = await invokeTool(throwing(error, effect), {}, toolCall());
  return answer.ok ? undefined : answer.fail.details?.code;
};
const coded = (code: string, more: object = {}) => Object.assign(new Error("it broke"), { code, ...more });
const named = (name: string) => Object.assign(new Error("it ended"), { name });
const causedBy = (cause: unknown, levels = 1): Error =>
  new Error("fetch failed", { cause: levels === 1 ? cause : causedBy(cause, levels - 1) });

describe("a tool that cannot know whether it has acted", () => {
  test.each(WITH_EFFECTS)("says so: the outcome of a call of effect %s is unknown", async (effect) =>
    expect(await invokeTool(throwing(new UnknownOutcome("the bank hung up."), effect), {}, toolCall())).toEqual({
      ok: false,
      fail: {
        reason: "tool_error",
        message: "the outcome is unknown: the bank hung up. The effect may have happened.",
        details: { tool: "pay", code: "unknown_outcome" },
      },
    }),
  );

  test("says so with another copy of this package", async () =>
    expect(await codeOf(named("UnknownOutcome"))).toBe("unknown_outcome"));

  test("a read has no effect that could be unknown", async () =>
    expect(await codeOf(new UnknownOutcome("the bank hung up"), "read")).toBe("tool_error"));

  test("its undo may say so, too", async () => {
    const tool = defineTool({
      name: "pay",
      run: () => null,
      undo: () => {
        throw new UnknownOutcome("the bank hung up");
      },
    });
    expect(await undoEffect(tool, {}, null, { ...toolCall(), callKey: "k" })).toMatchObject({
      fail: { details: { code: "unknown_outcome" } },
    });
  });
});

describe.each(WITH_EFFECTS)("a tool of effect %s whose connection broke", (effect) => {
  test.each([
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "ECONNABORTED",
    "UND_ERR_SOCKET",
    "UND_ERR_HEADERS_TIMEOUT",
    "UND_ERR_BODY_TIMEOUT",
    "UND_ERR_ABORTED",
  ])("%s: the service may have acted", async (code) => {
    expect(await codeOf(coded(code), effect)).toBe("unknown_outcome");
    expect(await codeOf(causedBy(coded(code)), effect)).toBe("unknown_outcome");
    expect(await codeOf(coded(code), "read")).toBe("tool_error");
  });

  test.each(["AbortError", "TimeoutError"])("%s: the service may have acted", async (name) => {
    expect(await codeOf(named(name), effect)).toBe("unknown_outcome");
    expect(await codeOf(new DOMException("it took too long", name), effect)).toBe("unknown_outcome");
  });

  test.each(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"])(
    "%s: nothing was sent, so it failed",
    async (code) => expect(await codeOf(causedBy(coded(code)), effect)).toBe("tool_error"),
  );

  test("no address of the host was reached in time: nothing was sent", async () => {
    const late = coded("ETIMEDOUT", { syscall: "connect" });
    const all = Object.assign(new AggregateError([late, coded("ENETUNREACH")]), { code: "ETIMEDOUT" });
    expect(await codeOf(causedBy(all), effect)).toBe("tool_error");
  });

  test("one of several requests was under way", async () =>
    expect(await codeOf(new AggregateError([coded("ECONNREFUSED"), coded("ECONNRESET")]), effect)).toBe(
      "unknown_outcome",
    ));

  test("three causes are looked at, and the outermost that says anything decides", async () => {
    expect(await codeOf(causedBy(coded("ECONNRESET"), 3), effect)).toBe("unknown_outcome");
    expect(await codeOf(causedBy(coded("ECONNRESET"), 4), effect)).toBe("tool_error");
    expect(await codeOf(coded("ECONNRESET", { cause: coded("ECONNREFUSED") }), effect)).toBe("unknown_outcome");
    expect(await codeOf(coded("ECONNREFUSED", { cause: coded("ECONNRESET") }), effect)).toBe("tool_error");
  });

  test("a cause that is its own cause ends", async () => {
    const error = new Error("round");
    error.cause = error;
    expect(await codeOf(error, effect)).toBe("tool_error");
  });

  test("the tool knows better: its own answer holds", async () => {
    const declined = Object.assign(new ToolFailure("declined", { code: "declined" }), { cause: coded("ECONNRESET") });
    expect(await codeOf(declined, effect)).toBe("declined");
    const again = Object.assign(new ToolRetry("busy"), { cause: coded("ECONNRESET") });
    await expect(codeOf(again, effect)).rejects.toBe(again);
  });

  test("a call that was cancelled ends as cancelled", async () => {
    const error = named("AbortError");
    const call = toolCall({ signal: AbortSignal.abort() });
    await expect(invokeTool(throwing(error, effect), {}, call)).rejects.toBe(error);
  });

  test("a worker process of a test is told the same", async () => {
    expect(await codeOf(fromSentError(asSentError(causedBy(coded("ECONNRESET")))), effect)).toBe("unknown_outcome");
    expect(await codeOf(fromSentError(asSentError(new UnknownOutcome("lost"))), effect)).toBe("unknown_outcome");
    expect(await codeOf(fromSentError(asSentError(causedBy(coded("ECONNREFUSED")))), effect)).toBe("tool_error");
  });
});

describe("over HTTP", () => {
  const paid: string[] = [];
  let server: Server;
  let url: string;
  /** Pays, and then breaks the connection, in the middle of the answer or before it, or never answers. */
  beforeAll(async () => {
    server = createServer((request, response) => {
      paid.push(request.url as string);
      if (request.url === "/before") request.socket.destroy();
      if (request.url === "/within") {
        response.writeHead(200, { "content-length": "100" });
        response.write('{"tx":', () => request.socket.destroy());
      }
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
  });
  beforeEach(() => paid.splice(0));

  const pay = (effect: Effect, base: string, path: string, signal?: AbortSignal) => {
    const run = async () => (await fetch(base + path, { method: "POST", ...(signal && { signal }) })).json();
    return invokeTool(defineTool({ name: "pay", effect, run }), {}, toolCall());
  };

  test.each(WITH_EFFECTS.flatMap((effect) => ["/before", "/within"].map((path) => ({ effect, path }))))(
    "a service that pays and breaks the connection: the outcome of a call of effect $effect is unknown ($path)",
    async ({ effect, path }) => {
      expect(await pay(effect, url, path)).toMatchObject({
        fail: { message: expect.stringMatching(/^the outcome is unknown: /), details: { code: "unknown_outcome" } },
      });
      expect(paid).toEqual([path]);
    },
  );

  test("a service that never answers: the tool gives up, and the outcome is unknown", async () => {
    const signal = AbortSignal.timeout(200);
    expect(await pay("irreversible", url, "/never", signal)).toMatchObject({
      fail: { details: { code: "unknown_outcome" } },
    });
  });

  test("a service that is not there: the call failed", async () => {
    const gone = createServer();
    await new Promise<void>((listening) => gone.listen(0, "127.0.0.1", listening));
    const { port } = gone.address() as AddressInfo;
    await new Promise((closed) => gone.close(closed));
    expect(await pay("irreversible", `http://127.0.0.1:${port}`, "/before")).toMatchObject({
      fail: { message: expect.stringContaining("ECONNREFUSED"), details: { code: "tool_error" } },
    });
  });
});
