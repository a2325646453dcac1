import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";

/**
 * A chat that shows views, as small as it can be: a client of MCP in a page, and for each call of its model a frame with the view
 * of the tool. It keeps to MCP Apps (2026-01-26): frames have an origin of their own and a policy that lets them load nothing, and
 * the model is given neither the tools of views nor `_meta`. `Chat` of ../chat.ts describes it.
 */

const VIEW = "text/html;profile=mcp-app";
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; connect-src 'none'";

const client = new Client(
  { name: "chat", version: "1" },
  { capabilities: { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [VIEW] } } } },
);
const bridges = [];
let tools = [];

const withoutMeta = ({ _meta, ...rest }) => rest;
const callTool = (name, args) => client.callTool({ name, arguments: args });

async function frameOf(uri, theme) {
  const { contents } = await client.readResource({ uri });
  const [html] = contents;
  if (html?.mimeType !== VIEW) throw new Error(`${uri} is no view.`);
  const frame = document.createElement("iframe");
  frame.title = uri;
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.width = "100%";
  document.body.append(frame);
  const bridge = new AppBridge(
    client,
    { name: "chat", version: "1" },
    { openLinks: {}, serverTools: {}, serverResources: {}, updateModelContext: { text: {} } },
    { hostContext: { theme, platform: "web" } },
  );
  bridge.onupdatemodelcontext = async ({ content = [] }) => {
    chat.told.push(...content.filter(({ type }) => type === "text").map(({ text }) => text));
    return {};
  };
  bridge.onopenlink = async ({ url }) => {
    chat.opened.push(url);
    return {};
  };
  bridge.onsizechange = ({ height = 0 }) => {
    frame.style.height = `${height}px`;
    chat.height = height;
  };
  const ready = new Promise((resolve) => {
    bridge.oninitialized = resolve;
  });
  const inner = frame.contentWindow;
  await bridge.connect(new PostMessageTransport(inner, inner));
  frame.srcdoc = html.text.replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`);
  await ready;
  bridges.push(bridge);
  return bridge;
}

const chat = {
  told: [],
  opened: [],
  height: 0,
  connect: async (url, token) => {
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    tools = (await client.listTools()).tools;
  },
  tools: () => tools.filter((tool) => !isToolVisibilityAppOnly(tool)).map(({ name }) => name),
  call: async (name, args = {}) => withoutMeta(await callTool(name, args)),
  show: async (name, args = {}, theme = "light") => {
    const tool = tools.find((one) => one.name === name);
    const uri = tool && getToolUiResourceUri(tool);
    if (uri === undefined) throw new Error(`The tool ${name} has no view.`);
    const bridge = await frameOf(uri, theme);
    await bridge.sendToolInput({ arguments: args });
    const result = await callTool(name, args);
    await bridge.sendToolResult(result);
    return withoutMeta(result);
  },
  theme: (theme) => {
    for (const bridge of bridges) bridge.setHostContext({ theme, platform: "web" });
  },
};
globalThis.chat = chat;
