import { context, propagation, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Next, WorkflowClient, WorkflowClientInterceptor, WorkflowStartInput } from "@temporalio/client";
import { defaultPayloadConverter } from "@temporalio/common";
import { TRACE_HEADER } from "../../core/history/spans/trace-context";
import { SCOPE } from "./spans";

/**
 * The same client, whose starts belong to the span that is active where they are made: it becomes the parent of the mission.
 * Without an active span a mission is a separate trace.
 */
export function tracedStarts(workflow: WorkflowClient): WorkflowClient {
  if (trace.getSpan(context.active()) === undefined) return workflow;
  const { options } = workflow;
  const given = Array.isArray(options.interceptors) ? options.interceptors : [];
  // All else stays that of the client: its connection, its data converter, what plugins have made of it.
  return Object.create(workflow, { options: { value: { ...options, interceptors: [...given, interceptor] } } });
}

const interceptor: WorkflowClientInterceptor = {
  startWithDetails: (input, next) => started(input, next),
};

type Start = NonNullable<WorkflowClientInterceptor["startWithDetails"]>;

function started(
  input: WorkflowStartInput,
  next: Next<WorkflowClientInterceptor, "startWithDetails">,
): ReturnType<Start> {
  // An interceptor of the user's own has set it.
  if (input.headers[TRACE_HEADER] !== undefined) return next(input);
  const tracer = trace.getTracer(`${SCOPE}/client`);
  const attributes = { "gen_ai.conversation.id": input.options.workflowId };
  // Named as the SDK's own interceptors name it.
  return tracer.startActiveSpan(
    `StartWorkflow:${input.workflowType}`,
    { kind: SpanKind.CLIENT, attributes },
    async (span) => {
      try {
        const carrier: { [name: string]: string } = {};
        propagation.inject(context.active(), carrier);
        const payload = defaultPayloadConverter.toPayload(carrier);
        return await next({ ...input, headers: { ...input.headers, ...(payload && { [TRACE_HEADER]: payload }) } });
      } catch (error) {
        span.setAttribute("error.type", (error as Error).name);
        span.setStatus({ code: SpanStatusCode.ERROR });
        throw error;
      } finally {
        span.end();
      }
    },
  );
}
