import { z } from "zod";
import { defineTool } from "../../../src/tools";
import { temporaryFolder } from "../environment";
import { agent, fenced } from "../rig";
import { connectInMemory, type McpClient, type McpRig, openMcpRig } from "./client";

/** A project with agents in a folder of its own, a server for it, and a client that has loaded one workflow. */
export interface ChangeStage {
  rig: McpRig;
  mcp: McpClient;
  folder: string;
  /** From now on the tool `work` does not come back, until `release`. */
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export const CHANGE = {
  name: "A change",
  nodes: {
    start: { type: "start" },
    build: {
      type: "task",
      name: "Build it",
      stage: "development",
      agent: "builder",
      description: "Change {repository}.",
      context_files: ["docs/style.md"],
    },
    check: { type: "gate", name: "Check it", agent: "checker", maxRetries: 1 },
    done: { type: "end", result: "success" },
    hitl: { type: "end", result: "blocked", escalation: "hitl" },
  },
  edges: [
    { from: "start", to: "build" },
    { from: "build", to: "check" },
    { from: "check", to: "done", on: "passed" },
    { from: "check", to: "build", on: "failed" },
    { from: "check", to: "hitl", on: "max_retries_exceeded" },
  ],
};

export async function openChangeStage(): Promise<ChangeStage> {
  let release = () => {};
  let held: Promise<void> = Promise.resolve();
  const work = defineTool({ name: "work", input: z.object({}), run: () => held.then(() => "done") });
  const agents = {
    builder: agent({ name: "builder", tools: [work.spec] }),
    checker: agent({ name: "checker" }),
    asks: agent({ name: "asks" }),
    typed: agent({ name: "typed", signature: "(order_id :int) -> :any" }),
  };
  const folder = temporaryFolder("mcp");
  const rig = await openMcpRig({
    tools: [work],
    script: {
      builder: [fenced('(do (task "built" (tool/work {})) (return {:outcome "passed"}))')],
      checker: [fenced('(return {:outcome "passed"})')],
      asks: [
        { if_contains: "[done] paid", content: fenced('(return {:status "shipped"})') },
        { if_missing: "[done] paid", content: fenced('(return {:status "waiting" :for "payment"})') },
      ],
    },
    project: { folder: folder.path, agents, definitions: null },
  });
  const mcp = await connectInMemory(rig.parts);
  await mcp.call("load_workflow", { id: "change", definition: CHANGE });
  return {
    rig,
    mcp,
    folder: folder.path,
    hold: () => {
      held = new Promise((resolve) => {
        release = resolve;
      });
    },
    release: () => release(),
    close: async () => {
      release();
      await mcp.close();
      await rig.stop();
      folder.remove();
    },
  };
}
