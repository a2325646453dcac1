import { defined } from "../core/base/defined";
import type { Model, ModelCall, ModelErrorClass } from "../models/model";
import { ModelError } from "../models/model";

/** A fault of a test. `call` counts from 1; the default is the first call. Another attempt of a call is not a new call. */
export type Fault = ToolFault | LostWorker | ModelFault;

/** The tool does nothing and fails: the program sees a `tool_error` with this message. */
export interface ToolFault {
  tool: string;
  call?: number;
  fails: string;
}

/** The worker is lost before the tool has acted, or after it: then the effect has happened, and its answer is lost. */
export interface LostWorker {
  tool: string;
  call?: number;
  lost: "before" | "after";
}

/** The model's provider answers with this error, `times` times (default 1), before it answers the call. */
export interface ModelFault {
  model: 429 | 500 | 401 | "timeout";
  call?: number;
  times?: number;
  /** Ms that the provider asks to wait. */
  retry_after_ms?: number;
}

interface CallPlace {
  tool: string;
  /** Default 1. */
  call?: number;
}

/**
 * The worker dies at this call: before the tool has run, or after it has run and before its answer is recorded. In
 * memory the loss is simulated; on Temporal a worker process gets SIGKILL, and another one takes over.
 */
export function crashWorker(at: { before: CallPlace } | { after: CallPlace }): LostWorker {
  return "before" in at ? { ...at.before, lost: "before" } : { ...at.after, lost: "after" };
}

/** Checks whether a fault loses the worker. */
export const isLostWorker = (fault: Fault): fault is LostWorker => "lost" in fault;

/** Checks whether a fault makes a tool fail. */
export const isToolFault = (fault: Fault): fault is ToolFault => "fails" in fault;
const isModelFault = (fault: Fault): fault is ModelFault => "model" in fault;

const CLASSES: { [kind in ModelFault["model"]]: [ModelErrorClass, string] } = {
  429: ["rate_limit", "429 Too Many Requests"],
  500: ["server_error", "500 Internal Server Error"],
  401: ["auth_error", "401 Unauthorized"],
  timeout: ["timeout", "the model did not answer in time"],
};

/**
 * The model with its faults. A failed call uses no reply of the script, so the next attempt gets the same reply.
 */
export function faultyModel(model: Model, faults: readonly Fault[]): Model {
  const left = faults.filter(isModelFault).map((fault) => ({ ...fault, times: fault.times ?? 1 }));
  if (left.length === 0) return model;
  const answered = new Set<string>();
  /** Times that a call failed here, until it is answered. */
  const failed = new Map<string, number>();
  return {
    async complete(call, options) {
      const place = placeOf(call);
      const due = left.find((fault) => fault.times > 0 && (fault.call ?? 1) <= answered.size + 1);
      if (due && !answered.has(place)) {
        due.times -= 1;
        failed.set(place, (failed.get(place) ?? 0) + 1);
        const [errorClass, message] = CLASSES[due.model];
        const { retry_after_ms } = due;
        throw new ModelError(errorClass, message, defined({ retry_after_ms }));
      }
      answered.add(place);
      const attempt = (call.attempt ?? 1) - (failed.get(place) ?? 0);
      failed.delete(place);
      const own = [...failed.keys()].filter((lost) => agentOf(lost) === agentOf(place)).length;
      const { call: number, tree_call = number } = call;
      return model.complete({ ...call, call: number - own, tree_call: tree_call - failed.size, attempt }, options);
    },
  };
}

const placeOf = ({ agent, call, tree_call = call }: ModelCall): string => JSON.stringify([agent, call, tree_call]);
const agentOf = (place: string): unknown => (JSON.parse(place) as unknown[])[0];
