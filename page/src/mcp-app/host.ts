import type { CallToolResult } from "@modelcontextprotocol/client";
import { App, type McpUiHostContext } from "@modelcontextprotocol/ext-apps";
import { isObject } from "../../../src/core/base/is-object";
import { RequestError } from "../api/request";

/** A view in a chat (mcp reference, section 11): the host shows it, and passes its calls on to the server. */
export interface ChatHost {
  app: App;
  /** The answer of a tool of this server: `data`, and what is for the view alone. @throws RequestError */
  call<T>(tool: string, args?: { [name: string]: unknown }): Promise<{ data: T; meta: { [field: string]: unknown } }>;
  /** Reports to the model what happened, with the next thing that the person writes. */
  report(text: string): void;
  /** Opens an address in the person's browser. */
  open(url: string): void;
}

/** What the model called, and what came of it. */
export interface ShownCall {
  args: { [name: string]: unknown };
  /** null: it is under way. */
  result: CallToolResult | null;
  isCancelled?: true;
}

/**
 * Connects to the host.
 *
 * @param shown is called with the call that the view shows, and again when there is an answer
 */
export async function connectToHost(name: string, shown: (call: ShownCall) => void): Promise<ChatHost> {
  const app = new App({ name: `navigator-${name}`, version: "1" }, {}, { autoResize: true, strict: true });
  let call: ShownCall = { args: {}, result: null };
  const report = (change: Partial<ShownCall>) => {
    call = { ...call, ...change };
    shown(call);
  };
  // Before `connect`: hosts send both right after it, and not again.
  app.ontoolinput = ({ arguments: args = {} }) => report({ args });
  app.ontoolresult = (result) => report({ result: result as CallToolResult });
  app.ontoolcancelled = () => report({ isCancelled: true });
  app.onhostcontextchanged = look;
  await app.connect();
  const context = app.getHostContext();
  if (context !== undefined) look(context);
  return {
    app,
    call: async (tool, args = {}) => answered(await app.callServerTool({ name: tool, arguments: args })),
    report: (text) => {
      if (app.getHostCapabilities()?.updateModelContext === undefined) return;
      app.updateModelContext({ content: [{ type: "text", text }] }).catch(() => {});
    },
    open: (url) => void app.openLink({ url }).catch(() => {}),
  };
}

/** Dark or light as the host is, and its safe area. */
function look({ theme, safeAreaInsets }: Partial<McpUiHostContext>): void {
  const { dataset, style } = document.documentElement;
  if (theme !== undefined) dataset.scheme = theme;
  if (safeAreaInsets === undefined) return;
  const { top, right, bottom, left } = safeAreaInsets;
  style.padding = `${top}px ${right}px ${bottom}px ${left}px`;
}

/** The data in the answer of a tool: an error of ours is JSON in its text. @throws RequestError */
export function answered<T>({ isError, structuredContent, content, _meta = {} }: CallToolResult): {
  data: T;
  meta: { [field: string]: unknown };
} {
  const text = content.find((one) => one.type === "text")?.text ?? "";
  const answer = structuredContent ?? parsed(text);
  if (!isError && isObject(answer) && "data" in answer) return { data: answer.data as T, meta: _meta };
  const error = isObject(answer) && isObject(answer.error) ? answer.error : plainError(text);
  const textOf = (field: string): string | undefined => {
    const value = (error as { [field: string]: unknown })[field];
    return typeof value === "string" ? value : undefined;
  };
  const hint = textOf("hint");
  throw new RequestError({
    type: "about:blank",
    title: "The server refused it.",
    status: 0,
    code: textOf("code") ?? "tool_failed",
    detail: textOf("message") || "The server gave no answer that can be read.",
    ...(hint === undefined ? {} : { hint }),
  });
}

/** An error that is not ours is one of the protocol. The tools of views exist only for hosts that declare views. */
const plainError = (text: string): object =>
  /Tool app_\w+ not found/.test(text)
    ? {
        code: "not_for_this_chat",
        message:
          "This chat has not declared to the server that it shows views, so the server does not let it decide here.",
        hint: "Use Mission Control, or the command line: navigator review list",
      }
    : { message: text };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
