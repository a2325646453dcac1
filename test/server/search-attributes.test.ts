import { randomUUID } from "node:crypto";
import { Connection } from "@temporalio/client";
import { msToTs } from "@temporalio/common/lib/time";
import { SEARCH_ATTRIBUTES } from "../../src/core/base/search-attributes";
import { ensureSearchAttributes, missingSearchAttributes } from "../../src/server/search-attributes";
import { testAddress } from "../support/environment";

/** On a namespace that nobody prepared, as on a cluster of somebody else. */

const ALL = Object.keys(SEARCH_ATTRIBUTES);
/** IndexedValueType of Temporal's API. */
const TYPES = { KEYWORD: 2, INT: 3, DOUBLE: 4, DATETIME: 6, KEYWORD_LIST: 7 } as const;

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

test("where all are there, the server is not asked for a list: it leaks a connection at each one", async () => {
  await ensureSearchAttributes(connection, namespace);
  const list = jest.spyOn(connection.operatorService, "listSearchAttributes");
  expect(await ensureSearchAttributes(connection, namespace)).toEqual([]);
  expect(await missingSearchAttributes(connection, namespace)).toEqual([]);
  expect(list).not.toHaveBeenCalled();
});

test("workers that start at once do not disturb each other", async () => {
  const start = () => ensureSearchAttributes(connection, namespace);
  await Promise.all([start(), start(), start()]);
  expect(await missingSearchAttributes(connection, namespace)).toEqual([]);
});

test("one with another type is refused by name", async () => {
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: { NavigatorStatus: TYPES.INT } });
  await expect(ensureSearchAttributes(connection, namespace)).rejects.toMatchObject({
    code: "search_attributes",
    exitCode: 3,
    message: expect.stringContaining("NavigatorStatus must be KEYWORD"),
  });
});

test("one with another type is refused where all are there, too", async () => {
  const types = Object.entries(SEARCH_ATTRIBUTES).map(([name, type]) => [name, TYPES[type]] as const);
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: { ...Object.fromEntries(types), NavigatorOrder: TYPES.KEYWORD },
  });
  const list = jest.spyOn(connection.operatorService, "listSearchAttributes");
  await expect(missingSearchAttributes(connection, namespace)).rejects.toMatchObject({
    code: "search_attributes",
    message: expect.stringContaining("NavigatorOrder must be DOUBLE"),
  });
  expect(list).not.toHaveBeenCalled();
});

test("a missing namespace is refused with the command that creates it", async () => {
  await expect(ensureSearchAttributes(connection, "nowhere")).rejects.toMatchObject({
    code: "namespace_not_found",
    hint: expect.stringContaining("temporal operator namespace create -n nowhere"),
  });
});
