import { defaultPayloadConverter, type Headers } from "@temporalio/common";
import {
  type ActivityInput,
  ContinueAsNew,
  type ContinueAsNewInput,
  isCancellation,
  type LocalActivityInput,
  type Next,
  type StartChildWorkflowExecutionInput,
  type WorkflowExecuteInput,
  type WorkflowInboundCallsInterceptor,
  type WorkflowInterceptors,
  type WorkflowOutboundCallsInterceptor,
  workflowInfo,
} from "@temporalio/workflow";
import { isTraced, resultOfRun, runFacts } from "../../core/history/spans/gen-ai";
import type { SpanError } from "../../core/history/spans/plain-span";
import { runError } from "../../core/history/spans/span-error";
import {
  contextOfCarrier,
  TRACE_HEADER,
  type TraceContext,
  traceCarrierOf,
} from "../../core/history/spans/trace-context";
import { rootCause, stepOfFailure } from "../failures";
import { callContext, childContext, reportRun, runTrace } from "./run-trace";

/**
 * Passes the trace of a mission on to its activities, to the runs below it and to what it continues as, and reports the run
 * when it ends. No promise is replaced by another one: to wait once more would change in which order a workflow does things.
 */
export const interceptors = (): WorkflowInterceptors => ({ inbound: [new TracedRun()], outbound: [new TracedCalls()] });

class TracedRun implements WorkflowInboundCallsInterceptor {
  execute(input: WorkflowExecuteInput, next: Next<WorkflowInboundCallsInterceptor, "execute">): Promise<unknown> {
    const { workflowType, workflowId } = workflowInfo();
    if (!isTraced(workflowType)) return next(input);
    runTrace().given = contextOfHeaders(input.headers);
    const ended = (result: unknown, failure?: SpanError) => {
      const facts = runFacts(workflowType, workflowId, input.args[0]);
      const { attributes, error } = resultOfRun(result, WITHOUT_CONTENT);
      reportRun({ ...facts, attributes: { ...facts.attributes, ...attributes } }, error ?? failure);
    };
    const run = next(input);
    run.then(ended, (error: unknown) => {
      if (!(error instanceof ContinueAsNew)) ended(stepOfFailure(error), failureOf(error));
    });
    return run;
  }
}

const WITHOUT_CONTENT = { content: false };

function failureOf(error: unknown): SpanError {
  if (isCancellation(error)) return { type: "cancelled" };
  const { type } = rootCause(error) as { type?: unknown };
  return runError(type, undefined, WITHOUT_CONTENT);
}

class TracedCalls implements WorkflowOutboundCallsInterceptor {
  scheduleActivity(input: ActivityInput, next: Next<WorkflowOutboundCallsInterceptor, "scheduleActivity">) {
    return next(withContext(input, callContext(input.activityType, input.args[0])));
  }

  scheduleLocalActivity(
    input: LocalActivityInput,
    next: Next<WorkflowOutboundCallsInterceptor, "scheduleLocalActivity">,
  ) {
    return next(withContext(input, callContext(input.activityType, input.args[0])));
  }

  startChildWorkflowExecution(
    input: StartChildWorkflowExecutionInput,
    next: Next<WorkflowOutboundCallsInterceptor, "startChildWorkflowExecution">,
  ) {
    return next(withContext(input, childContext()));
  }

  continueAsNew(input: ContinueAsNewInput, next: Next<WorkflowOutboundCallsInterceptor, "continueAsNew">) {
    return next(withContext(input, runTrace().given));
  }
}

/** Another interceptor may have set the header: then its span is the parent. */
function withContext<T extends { headers: Headers }>(input: T, context: TraceContext | null): T {
  if (context === null || input.headers[TRACE_HEADER] !== undefined) return input;
  const payload = defaultPayloadConverter.toPayload(traceCarrierOf(context));
  return payload === undefined ? input : { ...input, headers: { ...input.headers, [TRACE_HEADER]: payload } };
}

function contextOfHeaders({ [TRACE_HEADER]: payload }: Headers): TraceContext | null {
  try {
    return payload === undefined ? null : contextOfCarrier(defaultPayloadConverter.fromPayload(payload));
  } catch {
    // The starter of a run may write anything there: it has no trace then.
    return null;
  }
}
