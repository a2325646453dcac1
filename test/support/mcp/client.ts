import path from "node:path";
import { Client, type ClientOptions } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { AjvJsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/ajv-provider.js";
import type { JsonSchemaType, JsonSchemaValidator } from "@modelcontextprotocol/sdk/validation/types.js";
import { TaskService } from "../../../src/client/tasks/task-service";
import { NavigatorError } from "../../../src/core/base/navigator-error";
import { StateSeal } from "../../../src/mcp/context/sealed-state";
import { createNavigatorServer, type ServerContext } from "../../../src/mcp/server";
import { createLogger } from "../../../src/node/log";
import { newNamespace } from "../namespace";
import { openRig, type Rig } from "../rig";

// biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape, and fails where it is not as it says
export type Answer = any;

/** Clients give up by themselves after a while: no call of this server may last as long as this. */
const PATIENCE = { timeout: 300_000 };

/** A client of the SDK, and its calls as tests want them. */
export interface McpClient {
  client: Client;
  /** A success: structured content and text are the same, and what is given is the former. */
  call(name: string, args?: object): Promise<Answer>;
  data(name: string, args?: object): Promise<Answer>;
  /** An error: no structured content; what the text says. */
  refused(name: string, args?: object): Promise<Answer>;
  /** The SDK's own refusal of arguments: plain text. */
  invalid(name: string, args?: object): Promise<string>;
  close(): Promise<void>;
}

/** The SDK's own check of answers. All clients of a test file share what was compiled of the schemas of the tools. */
class SharedValidator extends AjvJsonSchemaValidator {
  private readonly compiled = new Map<string, JsonSchemaValidator<unknown>>();

  override getValidator<T>(schema: JsonSchemaType): JsonSchemaValidator<T> {
    const text = JSON.stringify(schema);
    const known = this.compiled.get(text) ?? super.getValidator(schema);
    this.compiled.set(text, known);
    return known as JsonSchemaValidator<T>;
  }
}
const jsonSchemaValidator = new SharedValidator();

export async function connectClient(
  transport: Transport,
  options: ClientOptions = {},
  prepare: (client: Client) => void = () => {},
): Promise<McpClient> {
  const client = new Client({ name: "test", version: "1" }, { jsonSchemaValidator, ...options });
  prepare(client);
  await client.connect(transport);
  // The client checks answers against the output schemas only of tools that it has listed.
  await client.listTools();
  const ask = (name: string, args: object = {}) =>
    client.callTool(
      { name, arguments: args as { [name: string]: unknown } },
      undefined,
      PATIENCE,
    ) as Promise<CallToolResult>;
  const textOf = ({ content }: CallToolResult) => (content as { text: string }[])[0]?.text ?? "";
  const call = async (name: string, args?: object): Promise<Answer> => {
    const result = await ask(name, args);
    if (result.isError) throw new Error(`${name} was refused: ${textOf(result)}`);
    expect(JSON.parse(textOf(result))).toEqual(result.structuredContent);
    return result.structuredContent;
  };
  const failing = async (name: string, args?: object) => {
    const result = await ask(name, args);
    expect({ isError: result.isError, structuredContent: result.structuredContent }).toEqual({ isError: true });
    return textOf(result);
  };
  return {
    client,
    call,
    data: async (name, args) => (await call(name, args)).data,
    refused: async (name, args) => JSON.parse(await failing(name, args)),
    invalid: failing,
    close: () => client.close(),
  };
}

/** A server and a client in this process. */
export async function connectInMemory(
  parts: ServerContext,
  options: ClientOptions = {},
  prepare?: (client: Client) => void,
): Promise<McpClient> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createNavigatorServer(parts).connect(far as never);
  return connectClient(near, options, prepare);
}

/** Parts of a server whose Temporal is away. */
export const WITHOUT_TEMPORAL: ServerContext = {
  backend: async () => {
    throw new NavigatorError("temporal_unavailable", "No Temporal server runs at 127.0.0.1:1.", { hint: "Start one." });
  },
  project: { folder: path.join(__dirname, "../../fixtures-none"), agents: {}, definitions: null },
  model: "scripted",
  log: createLogger("silent"),
  version: "0.0.0",
  files: true,
  primaryStore: "the tests",
  seal: new StateSeal(() => "the key of the tests, which every server of them has"),
};

/** A server's parts on a real Temporal server, in a namespace of its own, with a worker. */
export interface McpRig extends Rig {
  namespace: string;
  parts: ServerContext;
  /** As another server process would have them: nothing in common but what is in Temporal. */
  otherParts(): ServerContext;
}

export async function openMcpRig(
  options: Omit<Parameters<typeof openRig>[0], "namespace"> & Partial<Pick<ServerContext, "project">> = {},
): Promise<McpRig> {
  const { project = WITHOUT_TEMPORAL.project, ...given } = options;
  const namespace = await newNamespace();
  const rig = await openRig({ ...given, namespace });
  const otherParts = (): ServerContext => {
    const taskService = new TaskService(rig.client, { agents: project.agents, model: "scripted" });
    return { ...WITHOUT_TEMPORAL, project, backend: async () => ({ taskService, client: rig.client }) };
  };
  return { ...rig, namespace, parts: otherParts(), otherParts };
}
