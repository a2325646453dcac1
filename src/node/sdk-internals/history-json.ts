import { createRequire } from "node:module";
import { temporal } from "@temporalio/proto";
import type { Json } from "../../core/base/json";

const { History } = temporal.api.history.v1;

/**
 * Taken from the copy of protobufjs that `@temporalio/proto` uses. npm may install several copies, and each knows only its
 * own types: the SDK's own `historyToJSON` then throws "type must be a Type".
 */
const { toJson } = createRequire(require.resolve("@temporalio/proto"))("protobufjs/ext/protojson") as {
  toJson(type: unknown, message: unknown): Json;
};

/** A history as exported JSON, in the form that all tools of Temporal read. */
export const historyJson = (history: temporal.api.history.v1.IHistory): Json =>
  JSON.parse(JSON.stringify(toJson(History, History.fromObject(history)))) as Json;
