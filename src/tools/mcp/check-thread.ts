import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { jsonSchemaCheck } from "../schema/json-schema-check";
import { CHECK_BEGINS, type CheckInThread } from "./source-checks";

/** One check, in a thread that can be ended. */
const port = parentPort as MessagePort;
const { schema, value } = workerData as CheckInThread;
port.postMessage(CHECK_BEGINS);
port.postMessage(jsonSchemaCheck(schema, { own: false })(value));
