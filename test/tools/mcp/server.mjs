// An MCP server that does on request what real ones do at the worst moment. Its tools come in pages of two.
import { appendFileSync, existsSync, writeFileSync } from "node:fs";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const { MODE, NOTES } = process.env;
const object = (properties = {}, more = {}) => ({ type: "object", properties, ...more });

let tools = [
  { name: "key", description: "The idempotency key", inputSchema: object() },
  {
    name: "crash",
    inputSchema: object({ code: { type: "integer" } }),
    annotations: { idempotentHint: true },
  },
  { name: "crash.read", inputSchema: object({ once: { type: "string" } }), annotations: { readOnlyHint: true } },
  { name: "wait", inputSchema: object({ ms: { type: "integer" } }), annotations: { destructiveHint: true } },
  { name: "grow", inputSchema: object() },
  {
    name: "echo",
    inputSchema: object({ "some-text": { type: "string" }, $filter: object({ "max-size": { type: "number" } }) }),
    outputSchema: object({ got: object() }),
  },
  { name: "bad schema", inputSchema: object({ a: { $ref: "#/$defs/Nothing" } }) },
  { name: "fails", inputSchema: object() },
  { name: "pid", inputSchema: object(), annotations: { readOnlyHint: true } },
];

const note = (text) => NOTES && appendFileSync(NOTES, `${text}\n`);
const text = (value) => ({ content: [{ type: "text", text: String(value) }] });

const CALLS = {
  key: (_, request) => text(request.params._meta["navigator/idempotency-key"]),
  crash: ({ code }) => {
    process.stderr.write("the disk is full\n");
    process.exit(code ?? 7);
  },
  "crash.read": ({ once }) => {
    if (once !== undefined && existsSync(once)) return text("read");
    if (once !== undefined) writeFileSync(once, "");
    process.exit(7);
  },
  wait: ({ ms }, _, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => note("cancelled"));
      setTimeout(() => resolve(text("waited")), ms);
    }),
  grow: async () => {
    tools = [...tools.filter(({ name }) => name !== "pid"), { name: "grown", inputSchema: object() }];
    await server.sendToolListChanged();
    return text("grown");
  },
  grown: () => text("I am new"),
  echo: (args) => text(JSON.stringify({ got: args })),
  fails: () => ({ isError: true, ...text("no such order") }),
  pid: () => text(process.pid),
};

const server = new Server({ name: "fixture", version: "1.0.0" }, { capabilities: { tools: { listChanged: true } } });
server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
  const from = Number(params?.cursor ?? 0);
  const nextCursor = from + 2 < tools.length ? { nextCursor: String(from + 2) } : {};
  return { tools: tools.slice(from, from + 2), ...nextCursor };
});
server.setRequestHandler(CallToolRequestSchema, (request, extra) =>
  CALLS[request.params.name](request.params.arguments ?? {}, request, extra),
);

if (MODE === "broken") {
  process.stderr.write(`starting with ${process.env.API_TOKEN}\nno database here\n`);
  process.exit(3);
}
if (MODE === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 1_000);
}
if (MODE === "strict")
  process.stdin.once("data", (chunk) => {
    if (!String(chunk).includes('"initialize"')) process.exit(9);
  });
process.stdout.write("Welcome to the fixture!\n");
note(`started ${process.pid}`);
await server.connect(new StdioServerTransport());
