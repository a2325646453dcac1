import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { temporaryFolder } from "../environment";

const root = path.join(__dirname, "../../..");

/** A web page of somebody else, whose server passes `/api` on to Mission Control with a token that the browser never sees. */
export interface ChatPage {
  url: string;
  /** Cuts off all answers that go on, as a network does. */
  cut(): void;
  close(): Promise<void>;
}

/** @param entry the module of the page, below `test/web` */
export async function openChatPage(entry: string, target: { url: string; token: string }): Promise<ChatPage> {
  const script = bundled(path.join(root, "test/web", entry));
  const open = new Set<ServerResponse>();
  const server = createServer(async (request, response) => {
    if (!request.url?.startsWith("/api/")) {
      const isScript = request.url === "/page.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      return response.end(
        isScript ? script : '<!doctype html><title>Chat</title><body><script src="/page.js"></script>',
      );
    }
    open.add(response);
    response.on("close", () => open.delete(response));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    try {
      const answer = await fetch(`${target.url}${request.url}`, {
        method: request.method as string,
        headers: { authorization: `Bearer ${target.token}`, "content-type": "application/json" },
        signal: gone.signal,
        ...(chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      for await (const chunk of answer.body ?? []) response.write(chunk);
      response.end();
    } catch {
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut: () => {
      for (const response of open) response.destroy();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** One script with all that the page imports. */
function bundled(entry: string): string {
  const folder = temporaryFolder("chat-page");
  const lib = { entry, name: "page", formats: ["iife"], fileName: () => "page.js" };
  const options = `{configFile: false, logLevel: "error", define: {"process.env.NODE_ENV": '"production"'}, build: {outDir: ${JSON.stringify(folder.path)}, lib: {...${JSON.stringify(lib)}, fileName: () => "page.js"}}}`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["-e", `import("vite").then(({build}) => build(${options}))`],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`The page is not built: ${stderr}`);
  const script = readFileSync(path.join(folder.path, "page.js"), "utf8");
  folder.remove();
  return script;
}
