import type { LoadedDataConverter, Payload } from "@temporalio/common";
import { limit } from "@temporalio/common/lib/concurrency/limit";
import {
  decode,
  extstoreInboundOptions,
  visit,
  walkGetWorkflowExecutionHistoryResponse,
} from "@temporalio/common/lib/internal-non-workflow";
import type { History } from "@temporalio/common/lib/proto-utils";
import { decodePayload } from "../../core/base/history-event";
import { isObject } from "../../core/base/is-object";
import type { Json, JsonObject } from "../../core/base/json";
import { historyJson } from "./history-json";

/** Calls of a codec at the same time: one may ask a service. */
const AT_ONCE = 20;

/**
 * A history, or a part of one, as exported JSON that everybody can read: payloads are decoded, also where they are kept
 * outside of the server, and failures have their messages. The history that is given is changed.
 *
 * @throws what the codecs throw where they cannot read: a history is never read in part
 */
export async function readableHistory(
  history: History,
  { payloadCodecs, externalStorage }: LoadedDataConverter,
): Promise<Json> {
  const answer = { history };
  await visit(answer, walkGetWorkflowExecutionHistoryResponse, extstoreInboundOptions(externalStorage));
  await visit(answer, walkGetWorkflowExecutionHistoryResponse, {
    transformPayload: async (payload: Payload) => (await decode(payloadCodecs, [payload]))[0] as Payload,
    transformPayloads: (payloads: Payload[]) => decode(payloadCodecs, payloads),
    skipSearchAttributes: true,
    skipHeaders: true,
    limit: limit(AT_ONCE),
  });
  const json = historyJson(history);
  restoreFailures(json);
  return json;
}

/** Puts messages and stack traces back where a failure without a codec has them. Failures nest as deep as workflows call each other. */
function restoreFailures(json: Json): void {
  const open: Json[] = [json];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...next);
    else if (isObject(next)) {
      if (isObject(next.encodedAttributes)) restore(next);
      open.push(...Object.values(next).filter((value) => typeof value === "object" && value !== null));
    }
  }
}

function restore(failure: JsonObject): void {
  const said = decodePayload(failure.encodedAttributes);
  if (!isObject(said)) return;
  if (typeof said.message === "string") failure.message = said.message;
  if (typeof said.stack_trace === "string") failure.stackTrace = said.stack_trace;
  delete failure.encodedAttributes;
}
