import path from "node:path";
import { McpSettings, McpSource, type Tool, type ToolContext } from "../../../src/tools";
import { toolCall } from "../tool-call";

const packages = path.join(__dirname, "../../../node_modules/@modelcontextprotocol");

/** Programs of real servers and of our own, for `args`. */
export const SERVERS = {
  filesystem: path.join(packages, "server-filesystem/dist/index.js"),
  everything: path.join(packages, "server-everything/dist/index.js"),
  fixture: path.join(__dirname, "server.mjs"),
};

export const mcpSource = (name: string, settings: object, env: NodeJS.ProcessEnv = process.env): McpSource =>
  new McpSource(name, McpSettings.parse(settings), { folder: __dirname, env });

export const node = (...args: string[]) => ({ command: process.execPath, args });

/** `${NAME}`, as settings name a variable of the environment. */
export const variable = (name: string) => `\${${name}}`;

export interface Opened {
  tools: Tool[];
  names: string[];
  tool(name: string): Tool;
  call(name: string, args?: object, told?: Partial<ToolContext>): Promise<unknown>;
}

export async function open(source: McpSource): Promise<Opened> {
  let { tools } = await source.open();
  source.onChange((changed) => {
    tools = changed;
  });
  const tool = (name: string) => {
    const found = tools.find(({ spec }) => spec.name === name);
    if (!found) throw new Error(`no ${name} among ${tools.map(({ spec }) => spec.name)}`);
    return found;
  };
  return {
    get tools() {
      return tools;
    },
    get names() {
      return tools.map(({ spec }) => spec.name);
    },
    tool,
    call: (name, args = {}, told = {}) => tool(name).run(args as never, toolCall(told)),
  };
}
