import { createRequire } from "node:module";
import type { History } from "@temporalio/common/lib/proto-utils";
import * as proto from "@temporalio/proto";
import { patchProtobufRoot } from "@temporalio/proto/lib/patch-protobuf-root";
import type { Json } from "../../core/base/json";

/**
 * protobufjs as the SDK's messages have it. npm may install it several times, and each copy knows only its own types: the SDK's
 * own `historyToJSON` then throws "type must be a Type".
 */
const { toJson } = createRequire(require.resolve("@temporalio/proto"))("protobufjs/ext/protojson") as {
  toJson(type: unknown, message: unknown): Json;
};
const HISTORY = (patchProtobufRoot(proto) as unknown as { lookupType(name: string): unknown }).lookupType(
  "temporal.api.history.v1.History",
);

/** A history as exported JSON, in the form that all tools of Temporal have. */
export const historyJson = (history: History): Json =>
  JSON.parse(JSON.stringify(toJson(HISTORY, proto.temporal.api.history.v1.History.fromObject(history)))) as Json;
