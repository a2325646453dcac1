// A tool called as a task, with the official client of the Tasks extension: `node tasks-client.mjs '{"url", "token", "tool", "args", ...}'`.
// Each line on stdout is JSON: what the person was asked, the reference of the task, how it ended.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";

/** `resume`: the reference of a task that another process has begun; `leave`: tell the reference and end. */
const { url, token, tool, args, answer, resume, leave } = JSON.parse(process.argv[2]);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

const protocolVersion = "2026-07-28";
const clientInfo = { name: "tasks-client", version: "1" };
const clientCapabilities = { elicitation: { form: {} } };
const headers = { authorization: `Bearer ${token}` };
const client = new Client(clientInfo, {
  capabilities: clientCapabilities,
  versionNegotiation: { mode: { pin: protocolVersion } },
});
client.setRequestHandler("elicitation/create", () => answer);
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));

let ids = 0;
/** The SDK's client takes no tasks for answers, so the extension brings its requests itself. */
async function rawDispatch(request) {
  const { method, params } = request;
  const name = params?.taskId ?? params?.name;
  const response = await fetch(url, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": protocolVersion,
      "mcp-method": method,
      ...(name === undefined ? {} : { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: ++ids, ...request }),
  });
  const text = await response.text();
  const { result, error } = JSON.parse(text.replace(/^[\s\S]*?(?:^data: )(?=\{)/m, ""));
  return error === undefined ? { kind: "result", result } : { kind: "error", error };
}

const session = createTaskSessionFromClient(client, {
  endpointId: "navigator",
  rawDispatch,
  v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
  onInputRequest: (request) => {
    say({ asked: request.params.message });
    return answer;
  },
});
const execution = resume === undefined ? await session.callTool(tool, args) : await session.resumeTask(resume);
if (leave) {
  // As if it were killed: closing the session would cancel the task.
  process.stdout.write(`${JSON.stringify({ reference: execution.serializeReference() })}\n`, () => process.exit(0));
  await new Promise(() => {});
}
const { outcome } = await execution.settle();
say({ kind: execution.kind, ...outcome, ...(outcome.error ? { error: outcome.error.message } : {}) });
await session.close();
await client.close();
