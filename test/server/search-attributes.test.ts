import { randomUUID } from "node:crypto";
import { Connection } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time";
import { SEARCH_ATTRIBUTES } from "../../src/core/base/search-attributes";
import { ensureSearchAttributes, missingSearchAttributes } from "../../src/server/search-attributes";
import { testAddress } from "../support/environment";

/** On a namespace that nobody prepared, as on a cluster of somebody else. */

const ALL = Object.keys(SEARCH_ATTRIBUTES);
const INT = 3;

let connection: Connection;
let namespace: string;

beforeEach(async () => {
  connection = await Connection.connect({ address: testAddress() });
  namespace = `bare-${randomUUID()}`;
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: msToTs("1 day") });
});
afterEach(() => connection.close());

test("all are created once; the second call creates nothing", async () => {
  expect(await ensureSearchAttributes(connection, namespace)).toEqual(ALL);
  expect(await ensureSearchAttributes(connection, namespace)).toEqual([]);
  expect(await missingSearchAttributes(connection, namespace)).toEqual([]);
});

test("workers that start at once do not disturb each other", async () => {
  const start = () => ensureSearchAttributes(connection, namespace);
  await Promise.all([start(), start(), start()]);
  expect(await missingSearchAttributes(connection, namespace)).toEqual([]);
});

test("one with another type is refused by name", async () => {
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { NavigatorStatus: INT } });
  await expect(ensureSearchAttributes(connection, namespace)).rejects.toMatchObject({
    code: "search_attributes",
    exitCode: 3,
    message: expect.stringContaining("NavigatorStatus must be KEYWORD"),
  });
});

test("a missing namespace is refused with the command that creates it", async () => {
  await expect(ensureSearchAttributes(connection, "nowhere")).rejects.toMatchObject({
    code: "namespace_not_found",
    hint: expect.stringContaining("temporal operator namespace create -n nowhere"),
  });
});
