import { randomUUID } from "node:crypto";
import { type CallToolResult, type InputRequest, inputRequired } from "@modelcontextprotocol/server";
import type { ServedTool, ToolCallRequest } from "../../../../src/mcp/context/served-tool";
import type { McpTaskSource, McpTaskState } from "../../../../src/mcp/context/task-source";
import { fixture, form, said } from "./material";

/** Tasks of the suite's own tools, in memory. Those of Navigator are in Temporal, and need one. */

interface Job extends McpTaskState {
  result?: CallToolResult;
  /** Takes the answers when the last one is there. */
  answered?: (answers: { [name: string]: unknown }) => CallToolResult;
  answers: { [name: string]: unknown };
}

class FixtureTasks implements McpTaskSource {
  private readonly jobs = new Map<string, Job>();

  begin(job: Partial<Job>, endsIn_ms?: number, end: Partial<Job> = {}): { taskId: string } {
    const now = new Date().toISOString();
    const begun: Job = {
      taskId: randomUUID(),
      status: "working",
      createdAt: now,
      lastUpdatedAt: now,
      answers: {},
      ...job,
    };
    this.jobs.set(begun.taskId, begun);
    if (endsIn_ms !== undefined)
      setTimeout(() => {
        if (begun.status === "working") Object.assign(begun, end, { lastUpdatedAt: new Date().toISOString() });
      }, endsIn_ms).unref();
    return { taskId: begun.taskId };
  }

  async get(taskId: string): Promise<McpTaskState | null> {
    const job = this.jobs.get(taskId);
    if (job === undefined) return null;
    const { result: _, answered: __, answers: ___, ...state } = job;
    return state;
  }

  async result(taskId: string): Promise<CallToolResult> {
    return this.jobs.get(taskId)?.result ?? said("");
  }

  async answer(taskId: string, answers: { [name: string]: unknown }): Promise<void> {
    const job = this.jobs.get(taskId) as Job;
    const left: { [name: string]: InputRequest } = {};
    for (const [key, request] of Object.entries(job.inputRequests ?? {}))
      if (key in answers) job.answers[key] = answers[key];
      else left[key] = request;
    if (Object.keys(left).length > 0) Object.assign(job, { inputRequests: left });
    else if (job.answered !== undefined && job.status === "input_required") {
      delete job.inputRequests;
      Object.assign(job, { status: "completed", result: job.answered(job.answers) });
    }
  }

  async cancel(taskId: string): Promise<void> {
    const job = this.jobs.get(taskId) as Job;
    delete job.inputRequests;
    job.status = "cancelled";
  }

  async list(): Promise<McpTaskState[]> {
    return [...this.jobs.values()].filter(({ status }) => status === "working");
  }
}

export const fixtureTasks = new FixtureTasks();

const done = (result: CallToolResult): Partial<Job> => ({ status: "completed", result });
const asked = (inputRequests: { [name: string]: InputRequest }): Partial<Job> => ({
  status: "input_required",
  inputRequests,
  answered: (answers) => said(`Answered: ${Object.keys(answers).join(", ")}`),
});
const asks = (message: string) => inputRequired.elicit(form(message, "confirm", "boolean"));

export function taskTools(): ServedTool[] {
  const job = (
    name: string,
    begin: (request: ToolCallRequest) => { taskId: string },
    now: CallToolResult = said(name),
  ) => fixture(name, () => now, { begin: async (request) => begin(request) });
  const userName = ({ inputResponses }: ToolCallRequest) =>
    (inputResponses?.user_name as { content?: { name?: string } } | undefined)?.content?.name;
  return [
    fixture("greet", ({ args }) => said(`Hello, ${args.name}!`)),
    job("slow_compute", ({ args }) => fixtureTasks.begin({}, Number(args.seconds) * 1_000, done(said("Computed.")))),
    {
      ...job("failing_job", () => fixtureTasks.begin({}, 200, done({ ...said("The job failed."), isError: true }))),
      needsTask: true,
    },
    job("protocol_error_job", () =>
      fixtureTasks.begin({}, 200, { status: "failed", error: { code: -32603, message: "It broke." } }),
    ),
    job("confirm_delete", () => fixtureTasks.begin(asked({ [randomUUID()]: asks("Delete it?") }))),
    job("multi_input", () => fixtureTasks.begin(asked({ [randomUUID()]: asks("One?"), [randomUUID()]: asks("Two?") }))),
    fixture("test_tool_with_task", () => said("It needs a task."), {
      needsTask: true,
      begin: async (request) => {
        const name = userName(request);
        if (name !== undefined) return fixtureTasks.begin({}, 200, done(said(`Hello, ${name}!`)));
        return inputRequired({
          inputRequests: { user_name: inputRequired.elicit(form("What is your name?", "name")) },
        });
      },
    }),
  ];
}
