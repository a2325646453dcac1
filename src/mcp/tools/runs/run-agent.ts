import { randomUUID } from "node:crypto";
import * as z from "zod";
import { agentWorkflowId } from "../../../core/base/ids";
import type { JsonObject } from "../../../core/base/json";
import { knownAgent } from "../../../project/known-agent";
import { shortModelNames } from "../../../project/short-model-names";
import { sessionAgent } from "../../context/session-agent";
import { type Call, LONGEST_CALL_MS, RUN, tool } from "../../context/tool";
import { Run, waitForRun, waitSeconds } from "./watched-run";

const RunInput = z.strictObject({
  agent: z.string().min(1).describe("Name of one of the project's agents"),
  context: z.looseObject({}).default({}).describe("Input of the agent"),
  id: z.string().min(1).describe("Run id; the same call again answers with that run").optional(),
  waitSeconds: waitSeconds.default(20),
});
type RunArguments = z.infer<typeof RunInput>;

export const runAgentTool = tool({
  name: "run_agent",
  title: "Run an agent",
  description:
    "Starts a mission: one of the project's agents on a context. Waits a little for its end; `status: running` has the handle to ask again (get_run). The mission continues.",
  input: RunInput,
  data: Run,
  hints: RUN,
  view: "mission",
  errors: ["agent_not_found", "id_in_use", "invalid_id", "payload_too_large", "validation_error"],
  limit_ms: LONGEST_CALL_MS,
  run: async ({ waitSeconds: seconds, ...asked }, call) =>
    waitForRun(await startRun(asked, call), call, seconds * 1000),
  begin: async (args, call) => agentWorkflowId(await startRun(args, call)),
});

/** @throws NavigatorError `agent_not_found`, `validation_error` for a context that does not fit */
async function startRun(
  { agent: name, context, id }: Pick<RunArguments, "agent" | "context" | "id">,
  { client, extra, serverContext }: Pick<Call, "client" | "extra" | "serverContext">,
): Promise<string> {
  const agent = knownAgent(serverContext.project, name);
  const run = await client.startAgent({
    agent,
    context: context as JsonObject,
    untrusted_context: true,
    id: id ?? randomUUID(),
    model: serverContext.model,
    requested_by: sessionAgent({ extra, serverContext }).id,
    llm_registry: shortModelNames(serverContext.project.models ?? {}),
  });
  return run.id;
}
