import { readFile } from "node:fs/promises";
import path from "node:path";
import type { McpServer } from "@modelcontextprotocol/server";
import type { RequestClient } from "../context/request";
import type { ServerContext } from "../context/server-context";
import type { AppView, McpTool } from "../context/tool";

/**
 * The views of the server that a host shows in the chat (mcp reference, section 11): one file of HTML each, with its script and its
 * styles in it, which a host shows in a separate frame. A view has no data: it asks for it, through the host, with the tools of this
 * server.
 */

/** The extension of MCP by which a client declares that it shows views. */
export const UI_EXTENSION = "io.modelcontextprotocol/ui";
/** The type of a view. */
export const VIEW_MIME_TYPE = "text/html;profile=mcp-app";

/** The views, by name. The file of one is `NAME.html`. */
export const APP_VIEWS = {
  inbox: {
    uri: "ui://navigator/inbox",
    title: "Inbox",
    description: "The open reviews, and the card on which a person decides",
  },
  mission: {
    uri: "ui://navigator/mission",
    title: "Mission",
    description: "One mission: its state, what it waits for, its Mission Log and its effects",
  },
} as const satisfies { [view in AppView]: { uri: string; title: string; description: string } };

/** They need nothing from anywhere: no domain is named, so the host lets them load and send nothing. */
const VIEW_META = { ui: { prefersBorder: false } };

/** The views as resources, which every client may list and read. */
export function registerAppViews(server: McpServer, { appFolder }: Pick<ServerContext, "appFolder">): void {
  if (appFolder === undefined) return;
  for (const [name, { uri, title, description }] of Object.entries(APP_VIEWS)) {
    const about = { title, description, mimeType: VIEW_MIME_TYPE, _meta: VIEW_META };
    server.registerResource(`app-${name}`, uri, about, async () => {
      const text = await readFile(path.join(appFolder, `${name}.html`), "utf8");
      return { contents: [{ uri, mimeType: VIEW_MIME_TYPE, text, _meta: VIEW_META }] };
    });
  }
}

/** The part of a tool's description that names its view. Hosts of before 2026 read the second key. */
export function viewMeta({ view, appOnly }: Pick<McpTool, "view" | "appOnly">): { [field: string]: unknown } {
  if (view === undefined) return {};
  const { uri: resourceUri } = APP_VIEWS[view];
  const ui = { resourceUri, ...(appOnly ? { visibility: ["app"] } : {}) };
  return { ui, "ui/resourceUri": resourceUri };
}

/** Whether the client declares that it shows views, and so keeps the tools of views from its model. */
export function clientShowsViews({ capabilities }: Pick<RequestClient, "capabilities">): boolean {
  const declared = capabilities.extensions?.[UI_EXTENSION] as { mimeTypes?: unknown } | undefined;
  return Array.isArray(declared?.mimeTypes) && declared.mimeTypes.includes(VIEW_MIME_TYPE);
}

/** An address in Mission Control; undefined: where that is, is not known. @param place `inbox/ID` */
export const pageOf = (place: string, { serverContext }: { serverContext: ServerContext }): string | undefined =>
  serverContext.pageUrl === undefined ? undefined : `${serverContext.pageUrl.replace(/\/$/, "")}/${place}`;
