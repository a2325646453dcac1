import { defineTool, invokeTool, type Tool, ToolRegistry, ToolRetry } from "../../src/tools";
import { toolCall } from "./tool-call";

const tool = (name: string, run: () => unknown = () => null): Tool => defineTool({ name, run });

describe("the tools of a worker", () => {
  const registry = new ToolRegistry([tool("search"), tool("fetch")]);

  test("they are listed in the requested order", () => {
    const described = registry.describe(["fetch", "search"]);
    expect(described).toMatchObject({ ok: true, value: [{ name: "fetch" }, { name: "search" }] });
  });

  test("all unknown names are reported together, with the known ones", () =>
    expect(registry.describe(["serch", "fetch", "x"])).toEqual({
      ok: false,
      fail: {
        reason: "tool_not_found",
        message: "Unknown tools: serch, x. Available tools: search, fetch",
        details: { available: ["search", "fetch"] },
      },
    }));

  test("a worker without tools says so", () =>
    expect(new ToolRegistry().describe(["a"])).toMatchObject({
      fail: { message: "Unknown tool: a. No tools available." },
    }));

  test("a second tool of the same name is refused", () =>
    expect(() => new ToolRegistry([tool("a"), tool("a")])).toThrow(
      expect.objectContaining({
        code: "already_exists",
        details: expect.objectContaining({ path: "a", kind: "tool" }),
      }),
    ));

  test("a handmade tool with a reserved name is refused too", () =>
    expect(() => new ToolRegistry([{ spec: { name: "fail", effect: "read" }, run: async () => null }])).toThrow(
      expect.objectContaining({ code: "reserved_tool_name" }),
    ));

  test("something that is not a tool is refused", () =>
    expect(() => new ToolRegistry([{ name: "a" } as never])).toThrow("A tool must be made with defineTool"));
});

describe("calling a tool", () => {
  const call = (run: () => unknown, signal = new AbortController().signal) =>
    invokeTool(tool("pay", run), {}, toolCall({ signal }));
  const throwing = (error: unknown) => () => {
    throw error;
  };

  test("its answer is a result", async () =>
    expect(await call(async () => ({ a: 1 }))).toEqual({ ok: true, value: { a: 1 } }));

  test.each([
    { it: "an error", error: new Error("card refused"), message: "card refused" },
    { it: "a text", error: "no", message: "no" },
    {
      it: "an error with a cause",
      error: new Error("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:1") }),
      message: "fetch failed: connect ECONNREFUSED 127.0.0.1:1",
    },
    { it: "a long error", error: new Error("x".repeat(5_000)), message: "x".repeat(2_000) },
  ])("$it that it throws is data", async ({ error, message }) =>
    expect(await call(throwing(error))).toEqual({
      ok: false,
      fail: { reason: "tool_error", message, details: { tool: "pay", code: "tool_error" } },
    }),
  );

  test("a result that is not JSON is data, with its own code", async () =>
    expect(await call(() => ({ n: Number.NaN }))).toMatchObject({
      ok: false,
      fail: { reason: "tool_error", details: { tool: "pay", code: "invalid_result", path: "result.n" } },
    }));

  test("a request for a retry is thrown on", async () =>
    await expect(call(throwing(new ToolRetry("locked", { after_ms: 50 })))).rejects.toMatchObject({ after_ms: 50 }));

  test("an error of a cancelled call is thrown on", async () => {
    const controller = new AbortController();
    controller.abort();
    await expect(call(throwing(new Error("aborted")), controller.signal)).rejects.toThrow("aborted");
  });
});
