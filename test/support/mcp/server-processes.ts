import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { openPlace, type Place } from "../cli";
import { testAddress } from "../environment";
import { newNamespace } from "../namespace";
import { type Answer, connectClient, type McpClient } from "./client";
import { BUILT, inspect } from "./process";

/** A task that is moved by hand: `again` as often as wanted, then `passed`. */
export const WORK = {
  nodes: {
    start: { type: "start" },
    work: { type: "task", name: "Work", outputs: ["again", "passed"] },
    end: { type: "end", result: "success" },
  },
  edges: [
    { from: "start", to: "work" },
    { from: "work", to: "work", on: "again" },
    { from: "work", to: "end", on: "passed" },
  ],
};

/** A project and its worker, for server processes over one namespace. */
export interface ServerProcesses {
  place: Place;
  env: { [name: string]: string };
  /** One run of the Inspector's command line, with a server process. */
  inspect(args: string[]): Promise<Answer>;
  /** One call of a tool by the Inspector. */
  call(name: string, ...args: string[]): Promise<Answer>;
  /** A server process that is killed after what is done with it. */
  killedAfter<T>(use: (mcp: McpClient) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export async function openServerProcesses(): Promise<ServerProcesses> {
  const namespace = await newNamespace();
  const queue = `mcp-${namespace}`;
  const place = await openPlace("mcp", { TEMPORAL_NAMESPACE: namespace, NAVIGATOR_TASK_QUEUE: queue });
  const env = {
    TEMPORAL_ADDRESS: testAddress(),
    TEMPORAL_NAMESPACE: namespace,
    NAVIGATOR_TASK_QUEUE: queue,
    NAVIGATOR_PROJECT: "none",
  };
  place.write("workflows/from-file.json", { id: "from-file", ...WORK });
  place.write("workflows/broken.json", "{");
  place.write("navigator.config.cjs", 'module.exports = { primaryStore: "the tests" };');
  const worker = await place.startWorker();
  const ask: ServerProcesses["inspect"] = (args) => inspect({ env, cwd: place.folder }, args);
  return {
    place,
    env,
    inspect: ask,
    call: (name, ...args) =>
      ask(["--method", "tools/call", "--tool-name", name, ...args.flatMap((arg) => ["--tool-arg", arg])]),
    killedAfter: async (use) => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: BUILT,
        env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
        cwd: place.folder,
        stderr: "ignore",
      });
      const mcp = await connectClient(transport);
      const answer = await use(mcp);
      process.kill(transport.pid as number, "SIGKILL");
      await mcp.close();
      return answer;
    },
    close: async () => {
      await worker.stop();
      place.close();
    },
  };
}

/** The structured content of a success. */
export function dataOf({ structuredContent, isError }: Answer): Answer {
  expect(isError).toBeUndefined();
  return structuredContent;
}
