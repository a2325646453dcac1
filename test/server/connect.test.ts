import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parse as parseToml } from "smol-toml";
import { temporaryFolder } from "../support/environment";
import { type Answer, connectClient } from "../support/mcp/client";
import { isDeep } from "../support/run/deep";

/** The lines of docs/mcp.md, "Connect": each is read as its client reads it, and started where its client starts it. */

const ROOT = path.join(__dirname, "../..");
const PAGE = readFileSync(path.join(ROOT, "docs/mcp.md"), "utf8");
/** Each client that the page names, with the block that follows its name. */
const BLOCKS = new Map(
  [...PAGE.matchAll(/<!-- connect: (.*?) -->\n\n```\w+\n(.*?)```/gs)].flatMap(([, clients = "", block = ""]) =>
    clients.split(", ").map((client) => [client, block] as const),
  ),
);

interface Command {
  command: string;
  args: string[];
  env?: { [name: string]: string };
  cwd?: string;
}

/** `claude mcp add NAME -- COMMAND...`, and `gemini mcp add NAME COMMAND...`. */
const line =
  (start: string) =>
  (block: string): Command => {
    const text = block.trim();
    expect(text.startsWith(`${start} `)).toBe(true);
    const [command = "", ...args] = text.slice(start.length).trim().split(" ");
    return { command, args };
  };
const json =
  (key: string) =>
  (block: string): Command =>
    (JSON.parse(block) as Answer)[key].navigator;
const toml = (block: string): Command => (parseToml(block) as Answer).mcp_servers.navigator;

/** How a client reads its configuration, and where it starts servers: `home` or `/` stands for clients that know no project. */
const CLIENTS: [client: string, read: (block: string) => Command, from: "project" | "home" | "/"][] = [
  ["Claude Code", line("claude mcp add navigator --"), "project"],
  ["Codex", line("codex mcp add navigator --"), "project"],
  ["Gemini CLI", line("gemini mcp add navigator"), "project"],
  ["Claude Code file", json("mcpServers"), "project"],
  ["Gemini CLI file", json("mcpServers"), "project"],
  ["Codex file", toml, "project"],
  ["VS Code", json("servers"), "home"],
  ["Cursor", json("mcpServers"), "home"],
  ["Claude Desktop", json("mcpServers"), "/"],
  ["Windsurf", json("mcpServers"), "home"],
  ["Cline", json("mcpServers"), "/"],
  ["Zed", json("context_servers"), "home"],
];

const folder = temporaryFolder("connect");
const project = path.join(folder.path, "shop");
const home = path.join(folder.path, "home");
beforeAll(() => {
  // As after `npm install navigator-agents` in the project.
  const bin = path.join(project, "node_modules/.bin");
  for (const one of [bin, home]) mkdirSync(one, { recursive: true });
  writeFileSync(path.join(project, "package.json"), '{ "name": "shop" }');
  writeFileSync(path.join(project, "navigator.config.cjs"), "module.exports = { agents: [] ");
  const program = path.join(bin, "navigator-agents");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/dist/cli/main.js" "$@"\n`);
  chmodSync(program, 0o755);
});
afterAll(() => folder.remove());

async function open({ command, args, env = {}, cwd }: Command, from: "project" | "home" | "/") {
  const transport = new StdioClientTransport({
    command,
    args,
    cwd: cwd ?? { project, home, "/": "/" }[from],
    env: { PATH: process.env.PATH ?? "", HOME: home, npm_config_offline: "true", ...env },
    stderr: "ignore",
  });
  return connectClient(transport);
}

test("the page has a block for each client", () => {
  expect([...BLOCKS.keys()].sort()).toEqual(CLIENTS.map(([client]) => client).sort());
});

/** Each command once, with the clients that start it so. */
function commands() {
  const clients = new Map<string, string[]>();
  for (const [client, read, from] of CLIENTS) {
    const written = (BLOCKS.get(client) ?? "")
      .replaceAll(`\${workspaceFolder}`, project)
      .replaceAll("/path/to/project", project);
    const key = JSON.stringify([read(written), from]);
    clients.set(key, [...(clients.get(key) ?? []), client]);
  }
  return [...clients].map(([key, names]) => [names.join(", "), ...JSON.parse(key)]) as [
    string,
    Command,
    "project" | "home" | "/",
  ][];
}

test.each(isDeep ? commands() : commands().slice(0, 2))(
  "%s: the command of the configuration finds the project and lists the tools",
  async (_, command, from) => {
    const mcp = await open(command, from);
    expect((await mcp.client.listTools()).tools.length).toBeGreaterThan(30);
    // Its mistake shows that this is the project.
    expect((await mcp.refused("list_workflows")).error.message).toContain(path.join(project, "navigator.config.cjs"));
    await mcp.close();
  },
);

test("a client that starts it in the home folder is told to name the project", async () => {
  const mcp = await open({ command: process.execPath, args: [`${ROOT}/dist/cli/main.js`, "mcp"] }, "home");
  expect((await mcp.refused("list_workflows")).error).toMatchObject({
    code: "not_found",
    hint: expect.stringContaining("--config"),
  });
  await mcp.close();
});
