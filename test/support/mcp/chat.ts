import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Page } from "playwright-core";
import { temporaryFolder } from "../environment";
import type { Answer } from "./client";

/** The chat in a page (`chat-host/host.mjs`), as tests drive it: what a model sees and does, and the views. */
export interface Chat {
  /** As a person, by their token. */
  connect(url: string, token: string): Promise<void>;
  /** The names of the tools that the model is told of. */
  tools(): string[];
  /** The model calls a tool by its name, also one that it was not told of; what the model is given of the answer. */
  call(name: string, args?: object): Promise<Answer>;
  /** The same, and its view is shown below the others. */
  show(name: string, args?: object, theme?: "light" | "dark"): Promise<Answer>;
  theme(theme: "light" | "dark"): void;
  /** What views told the model, and the addresses that they asked to open. */
  told: string[];
  opened: string[];
  /** The height that the last view asked for. */
  height: number;
}

/** Does something with the chat of a page. */
export function inChat<T, A>(page: Page, work: (chat: Chat, given: A) => T, given?: A): Promise<Awaited<T>> {
  const source = `(${work.toString()})(globalThis.chat, ${JSON.stringify(given ?? null)})`;
  return page.evaluate(source) as Promise<Awaited<T>>;
}

/** Serves the page of the chat. */
export async function serveChat(): Promise<{ url: string; close(): void }> {
  const folder = temporaryFolder("chat-host");
  const file = path.join(folder.path, "host.js");
  const bundle = path.join(__dirname, "chat-host", "bundle.mjs");
  const { status, stderr } = spawnSync(process.execPath, [bundle, file], { encoding: "utf8" });
  if (status !== 0) throw new Error(`The chat is not built.\n${stderr}`);
  const script = readFileSync(file);
  const page = '<!doctype html><html lang="en"><title>Chat</title><body><script src="/host.js"></script></body></html>';
  const server = createServer((request, response) => {
    const isScript = request.url === "/host.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
      folder.remove();
    },
  };
}
