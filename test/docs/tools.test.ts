import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";
import { parseAgent } from "../../src/core/agent/definition/parse-agent";
import { runCli, temporaryFolder } from "../support/environment";
import { SERVERS } from "../tools/mcp/sources";

/** What docs/tools.md shows is what the command says. */

const text = readFileSync(path.join(__dirname, "../../docs/tools.md"), "utf8");
const block = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, "s").exec(text)?.[1] as string;

const SHOP = `
openapi: 3.0.3
servers: [{ url: "http://127.0.0.1:1" }]
security: [{ token: [] }]
paths:
  /orders/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get:
      operationId: getOrder
      responses:
        "200":
          content:
            application/json:
              schema: { type: object, properties: { id: { type: integer }, total: { type: integer } }, required: [id] }
    delete:
      operationId: cancelOrder
      requestBody:
        content: { application/json: { schema: { type: object, properties: { reason: { type: string } } } } }
      responses: { "204": {} }
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
`;

test("the project of the example has the documented tools", async () => {
  const folder = temporaryFolder("docs-tools");
  const write = (name: string, content: string) => writeFileSync(path.join(folder.path, name), content);
  for (const name of ["agents", "files"]) mkdirSync(path.join(folder.path, name));
  // What npx would fetch is installed here.
  const installed = [process.execPath, SERVERS.filesystem].map((word) => JSON.stringify(word));
  const config = block("js")
    .replace('"npx"', installed[0] as string)
    .replace(/"-y", "[^"]+"/, installed[1] as string);
  expect(config).not.toContain("npx");
  write("navigator.config.cjs", config);
  write("shop.yaml", SHOP);
  write("agents/order.yaml", block("yaml"));
  const end = await runCli(["tools", "--config", folder.path], { SHOP_TOKEN: "tok-12345678" });
  expect(end).toMatchObject({ code: 0, stderr: "" });
  const plain = (lines: string) => lines.replace(/ +/g, " ").trim();
  expect(plain(end.stdout)).toBe(plain(block("text")));
  folder.remove();
});

test("the agent of the example is valid", () => {
  expect(parseAgent(parse(block("yaml")))).toMatchObject({ ok: true });
});

test("the documented version is the tested one", () => {
  const { version } = JSON.parse(
    readFileSync(path.join(path.dirname(SERVERS.filesystem), "../package.json"), "utf8"),
  ) as { version: string };
  expect(text).toContain(`@modelcontextprotocol/server-filesystem@${version}`);
});
